-- Work of call paths on the critical path and beside it, for exploration.
--
-- Grain:      one row per call path and location with work
-- Inputs:     critical_path_work
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    the run has the call paths and locations
SELECT
    call_path_id,
    location_id,
    least(path_ns, work_ns) AS path_ns,
    greatest(work_ns - path_ns, 0) AS other_ns
FROM critical_path_work
