-- Communication calls of several runs, per call site and process.
--
-- Grain:      one row per run, call path of communication and process that calls there
-- Inputs:     call_tree, call_paths, call_path_keys, regions, mpi_calls, locations,
--             location_groups
-- Output:     campaign table call_site_tasks
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; communication calls have no
--             recorded callees other than communication calls
SELECT
    call_tree.run_id,
    call_path_keys.call_path_key,
    location_groups.rank,
    sum(call_tree.visit_count)::BIGINT AS call_count,
    sum(call_tree.exclusive_ns)::BIGINT AS total_ns,
    min(call_tree.shortest_ns) AS shortest_ns,
    max(call_tree.longest_ns) AS longest_ns
FROM call_tree
INNER JOIN call_paths USING (run_id, call_path_id)
INNER JOIN call_path_keys USING (run_id, call_path_id)
INNER JOIN regions USING (run_id, region_id)
LEFT JOIN mpi_calls USING (run_id, region_id)
INNER JOIN locations USING (run_id, location_id)
INNER JOIN location_groups USING (run_id, location_group_id)
WHERE
    regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc')
    AND NOT coalesce(mpi_calls.is_local, FALSE)
    AND call_paths.kind <> 'task_stub'
    AND call_tree.visit_count > 0
    AND location_groups.kind = 'process'
GROUP BY call_tree.run_id, call_path_keys.call_path_key, location_groups.rank
ORDER BY call_tree.run_id, call_path_keys.call_path_key, location_groups.rank
