-- Call paths of which the measurement may have taken more than a tenth.
--
-- Grain:      one row per call path
-- Inputs:     perturbation, call_tree, call_paths
-- Output:     report section perturbation
-- Parameters: $row_limit  maximum number of call paths, most perturbation first (BIGINT)
SELECT
    call_paths.path AS call_path,
    sum(perturbation.record_count)::BIGINT AS record_count,
    sum(perturbation.cost_ns)::BIGINT AS cost_ns,
    sum(perturbation.flush_ns)::BIGINT AS flush_ns,
    sum(call_tree.exclusive_ns)::BIGINT AS exclusive_ns,
    sum(perturbation.cost_ns + perturbation.flush_ns) / nullif(sum(call_tree.exclusive_ns), 0)
        AS perturbed_ratio
FROM perturbation
INNER JOIN call_tree USING (call_path_id, location_id)
INNER JOIN call_paths USING (call_path_id)
GROUP BY perturbation.call_path_id, call_paths.path
HAVING sum(perturbation.cost_ns + perturbation.flush_ns) > 0.1 * sum(call_tree.exclusive_ns)
ORDER BY
    sum(perturbation.cost_ns + perturbation.flush_ns) DESC,
    perturbation.call_path_id
LIMIT $row_limit::BIGINT
