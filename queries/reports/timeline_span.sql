-- From when to when the timeline goes.
--
-- Grain:      one row
-- Inputs:     runs
-- Output:     report section timeline
-- Parameters: none
SELECT begin_ns, end_ns
FROM runs
ORDER BY run_id
