-- Calls of communication of a run per call site and process.
--
-- Grain:      one row per call path of communication and process that calls there
-- Inputs:     call_tree, call_paths, call_path_keys, regions, locations, location_groups
-- Output:     campaign table call_site_tasks
-- Parameters: none
-- Assumes:    calls of communication call nothing that is recorded but each other
SELECT
    call_path_keys.call_path_key,
    location_groups.rank,
    sum(call_tree.visit_count)::BIGINT AS call_count,
    sum(call_tree.exclusive_ns)::BIGINT AS total_ns,
    min(call_tree.shortest_ns) AS shortest_ns,
    max(call_tree.longest_ns) AS longest_ns
FROM call_tree
INNER JOIN call_paths ON call_tree.call_path_id = call_paths.call_path_id
INNER JOIN call_path_keys ON call_paths.call_path_id = call_path_keys.call_path_id
INNER JOIN regions ON call_paths.region_id = regions.region_id
INNER JOIN locations ON call_tree.location_id = locations.location_id
INNER JOIN location_groups ON locations.location_group_id = location_groups.location_group_id
WHERE
    regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc')
    AND call_paths.kind <> 'task_stub'
    AND call_tree.visit_count > 0
    AND location_groups.kind = 'process'
GROUP BY call_path_keys.call_path_key, location_groups.rank
ORDER BY call_path_keys.call_path_key, location_groups.rank
