-- Measured times and rates, by processes and size.
--
-- Grain:      one row per application, size and processes with a measured run
-- Inputs:     representative_runs
-- Output:     campaign report section surface
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    size,
    processes,
    median(time_ns) AS measured_ns,
    1e9 * any_value(computation_size) / median(time_ns) AS measured_rate
FROM representative_runs
WHERE time_ns > 0
GROUP BY application, size, processes
ORDER BY application, size, processes
LIMIT $row_limit::BIGINT
