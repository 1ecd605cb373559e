-- Start times of several runs, if recorded in their traces.
--
-- Grain:      one row per run
-- Inputs:     runs
-- Output:     starting times
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    runs.run_id,
    runs.started_at_ns
FROM runs
ORDER BY runs.run_id
