-- The id range of a call path and its subtree lies within the range of its caller.
--
-- Grain:      one row per call path outside its caller's range
-- Inputs:     call_paths
-- Output:     offending rows
-- Parameters: none
-- Source:     the depth-first numbering of call paths
-- Assumes:    nothing
SELECT
    callees.call_path_id,
    callees.last_call_path_id,
    callers.call_path_id AS caller_id,
    callers.last_call_path_id AS last_caller_id
FROM call_paths AS callees
LEFT JOIN call_paths AS callers ON callees.parent_call_path_id = callers.call_path_id
WHERE
    callees.call_path_id > callees.last_call_path_id
    OR callees.call_path_id <= callers.call_path_id
    OR callees.last_call_path_id > callers.last_call_path_id
    OR (callees.parent_call_path_id IS NOT NULL AND callers.call_path_id IS NULL)
ORDER BY callees.call_path_id
