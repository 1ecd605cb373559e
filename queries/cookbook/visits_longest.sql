-- Which single calls last the longest, and where and when do they happen?
--
-- Grain:      one row per visit, the 20 longest without callees
-- Inputs:     visits, call_paths, locations
-- Output:     answer
-- Parameters: none
SELECT
    locations.rank,
    locations.thread,
    call_paths.path AS call_path,
    visits.enter_ns / 1e9 AS enter_seconds,
    (visits.leave_ns - visits.enter_ns) / 1e9 AS seconds
FROM visits
INNER JOIN call_paths USING (call_path_id)
INNER JOIN locations USING (location_id)
WHERE visits.exclusive_ns = visits.leave_ns - visits.enter_ns
ORDER BY seconds DESC, visits.location_id, visits.visit_id
LIMIT 20
