-- Overhead of every configuration against the one of its size with the fewest processes.
--
-- Grain:      one row per application and compared configuration
-- Inputs:     configuration_comparisons
-- Output:     campaign report section overheads
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    times are per thread
SELECT
    application,
    size,
    processes,
    base_processes,
    run_count,
    base_run_count,
    base_ns,
    time_ns,
    overhead_ns,
    noise_ns,
    overhead_ns - unidentified_ns AS identified_ns,
    unidentified_ns
FROM configuration_comparisons
ORDER BY application, size, processes
LIMIT $row_limit::BIGINT
