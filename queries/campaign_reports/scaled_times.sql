-- Run time, speed-up and computation of every configuration that has efficiencies.
--
-- Grain:      one row per application, size, processes and threads
-- Inputs:     configuration_efficiencies
-- Output:     campaign report section efficiencies
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    interval,
    scaling,
    size,
    processes,
    threads,
    max(value) FILTER (WHERE metric = 'run_time')::BIGINT AS run_ns,
    max(value) FILTER (WHERE metric = 'ideal_run_time')::BIGINT AS ideal_run_ns,
    max(value) FILTER (WHERE metric = 'speed_up') AS speed_up,
    max(value) FILTER (WHERE metric = 'useful_time')::BIGINT AS useful_ns,
    max(value) FILTER (WHERE metric = 'instructions') AS instructions,
    max(value) FILTER (WHERE metric = 'instructions_per_cycle') AS instructions_per_cycle,
    max(value) FILTER (WHERE metric = 'cycles_per_ns') AS cycles_per_ns
FROM configuration_efficiencies
GROUP BY application, interval, scaling, size, processes, threads, reference_size
ORDER BY application, reference_size DESC, processes * threads, processes, size
LIMIT $row_limit::BIGINT
