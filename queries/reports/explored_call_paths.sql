-- The call tree for exploration, with mean times that its locations are compared with.
--
-- A page shows the call paths with the most inclusive time, those with the smallest numbers first;
-- values of others count for the closest shown caller.
--
-- Grain:      one row per call path
-- Inputs:     call_paths, computational_imbalance
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    nothing
SELECT
    call_paths.call_path_id,
    call_paths.parent_call_path_id,
    call_paths.region_id,
    call_paths.source_location_id,
    means.mean_ns
FROM call_paths
LEFT JOIN computational_imbalance AS means ON call_paths.call_path_id = means.call_path_id
