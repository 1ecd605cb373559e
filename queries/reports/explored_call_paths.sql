-- The call tree for exploration: classes of call paths, and mean times to compare locations with.
--
-- A page shows the call paths with the most inclusive time, those with the smallest numbers first;
-- values of others count for the closest shown caller. Tasks are counted where they run, not where
-- they are scheduled: their stubs have no class.
--
-- Grain:      one row per call path
-- Inputs:     call_paths, region_classes, computational_imbalance
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    call paths are numbered depth-first; a caller has at least the time of its callees
SELECT
    call_paths.call_path_id,
    call_paths.parent_call_path_id,
    call_paths.region_id,
    call_paths.source_location_id,
    if(call_paths.kind = 'task_stub', NULL, classes.overhead_id) AS overhead_id,
    means.mean_ns
FROM call_paths
LEFT JOIN region_classes AS classes ON call_paths.region_id = classes.region_id
LEFT JOIN computational_imbalance AS means ON call_paths.call_path_id = means.call_path_id
