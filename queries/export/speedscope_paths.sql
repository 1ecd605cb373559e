-- The call tree: the caller of every call path, and its frame.
--
-- Grain:      one row per call path
-- Inputs:     call_paths, regions
-- Output:     export speedscope
-- Parameters: none
-- Assumes:    call paths are numbered from 0 without gaps, callers first
WITH
    frames AS (
        SELECT
            region_id,
            row_number() OVER (ORDER BY region_id) - 1 AS frame
        FROM regions
    )

SELECT
    coalesce(call_paths.parent_call_path_id, -1) AS parent,
    frames.frame
FROM call_paths
INNER JOIN frames ON call_paths.region_id = frames.region_id
ORDER BY call_paths.call_path_id
