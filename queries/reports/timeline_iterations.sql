-- Begin and end of the iterations of the main loop over all processes, for the timeline.
--
-- Grain:      one row per iteration
-- Inputs:     iterations
-- Output:     report section timeline
-- Parameters: $row_limit  maximum number of rows (BIGINT, default 10000)
-- Assumes:    nothing
SELECT
    iteration,
    min(begin_ns) AS begin_ns,
    max(end_ns) AS end_ns
FROM iterations
GROUP BY iteration
ORDER BY iteration
LIMIT $row_limit::BIGINT
