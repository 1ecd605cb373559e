-- Exclusive time of every call path on every thread that visits it, to compare runs.
--
-- Grain:      one row per run, call path and CPU thread with visits
-- Inputs:     call_tree, call_paths, call_path_keys, regions, region_classes, setup_times,
--             locations, computational_imbalance
-- Output:     overheads of a run against another
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    call_tree.run_id,
    keys.call_path_key,
    call_paths.call_path_id,
    call_paths.path AS call_path,
    regions.name AS region,
    classes.overhead_id,
    call_tree.location_id,
    call_tree.exclusive_ns - coalesce(setup_times.time_ns, 0) AS time_ns,
    coalesce(imbalance.location_count, 0) AS possible_count
FROM call_tree
INNER JOIN call_paths
    ON
        call_tree.run_id = call_paths.run_id
        AND call_tree.call_path_id = call_paths.call_path_id
INNER JOIN call_path_keys AS keys
    ON call_tree.run_id = keys.run_id AND call_tree.call_path_id = keys.call_path_id
INNER JOIN regions
    ON call_paths.run_id = regions.run_id AND call_paths.region_id = regions.region_id
INNER JOIN region_classes AS classes
    ON call_paths.run_id = classes.run_id AND call_paths.region_id = classes.region_id
INNER JOIN locations
    ON
        call_tree.run_id = locations.run_id
        AND call_tree.location_id = locations.location_id
LEFT JOIN setup_times
    ON
        call_tree.run_id = setup_times.run_id
        AND call_tree.call_path_id = setup_times.call_path_id
        AND call_tree.location_id = setup_times.location_id
LEFT JOIN computational_imbalance AS imbalance
    ON
        call_tree.run_id = imbalance.run_id
        AND call_tree.call_path_id = imbalance.call_path_id
WHERE
    (call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL)
    AND call_paths.kind <> 'task_stub'
    AND locations.kind IN ('cpu_thread', 'unknown')
ORDER BY call_tree.run_id, call_paths.call_path_id, call_tree.location_id
