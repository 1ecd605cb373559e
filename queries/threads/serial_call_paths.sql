-- Call paths of the program outside parallel regions, including those of the outermost parallel
-- regions.
--
-- Grain:      one row per call path that lies in no parallel region
-- Inputs:     call_paths, regions
-- Output:     serial_call_paths
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Idle Threads Time"
-- Assumes:    call paths are numbered depth-first, so that a subtree is a range of ids
WITH
    parallel_paths AS (
        SELECT
            call_paths.call_path_id,
            call_paths.kind,
            call_paths.last_call_path_id,
            regions.role = 'parallel' AS is_parallel
        FROM call_paths
        INNER JOIN regions USING (region_id)
    )

SELECT
    call_path_id,
    is_parallel,
    last_call_path_id
FROM parallel_paths
WHERE kind = 'program'
-- The call path is outside the subtrees of all earlier parallel regions.
QUALIFY
    coalesce(
        max(last_call_path_id) FILTER (WHERE is_parallel) OVER (
            ORDER BY call_path_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) < call_path_id,
        TRUE
    )
