-- Begin and end of the timeline.
--
-- Grain:      one row
-- Inputs:     runs
-- Output:     report section timeline
-- Parameters: none
SELECT begin_ns, end_ns
FROM runs
ORDER BY run_id
