-- Exclusive time of call paths in the main part of the run.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per call path and location with time in the main part
-- Inputs:     call_tree, call_paths, setup_times
-- Output:     main_times
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT
    COLUMNS('^(run_id|call_path_id|location_id|region_id)$'),
    exclusive_ns - coalesce(time_ns, 0) AS time_ns
FROM call_tree
NATURAL INNER JOIN (
    SELECT COLUMNS('^(run_id|call_path_id|region_id)$') FROM call_paths WHERE kind <> 'task_stub'
)
NATURAL LEFT JOIN setup_times
WHERE exclusive_ns > coalesce(setup_times.time_ns, 0)
