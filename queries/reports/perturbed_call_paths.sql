-- Call paths of which the measurement may have taken more than a tenth.
--
-- Grain:      one row per call path
-- Inputs:     perturbation, call_paths
-- Output:     report section perturbation
-- Parameters: $row_limit  maximum number of call paths, most perturbation first (BIGINT)
WITH
    -- Most perturbation first. Paths are long texts, so they are joined only to these few rows.
    perturbed AS (
        SELECT
            call_path_id,
            sum(record_count)::BIGINT AS record_count,
            sum(cost_ns)::BIGINT AS cost_ns,
            sum(flush_ns)::BIGINT AS flush_ns,
            sum(exclusive_ns)::BIGINT AS exclusive_ns,
            sum(cost_ns) + sum(flush_ns) AS perturbed_ns
        FROM perturbation
        GROUP BY call_path_id
        HAVING 10 * (sum(cost_ns) + sum(flush_ns)) > sum(exclusive_ns)
        ORDER BY perturbed_ns DESC, call_path_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    call_paths.path AS call_path,
    perturbed.record_count,
    perturbed.cost_ns,
    perturbed.flush_ns,
    perturbed.exclusive_ns,
    perturbed.perturbed_ns / nullif(perturbed.exclusive_ns, 0) AS perturbed_ratio
FROM perturbed
INNER JOIN call_paths ON perturbed.call_path_id = call_paths.call_path_id
ORDER BY perturbed.perturbed_ns DESC, perturbed.call_path_id
