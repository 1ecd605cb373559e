-- Speedup of the best runs over the run with the fewest processes of the same size.
--
-- The speedup of that run is defined as its number of processes, so that the ideal speedup is the
-- number of processes.
--
-- Grain:      one row per application, size and processes with a measured run
-- Inputs:     efficiency_grid
-- Output:     campaign report section scaling
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
WITH
    measured AS (
        SELECT
            application,
            size,
            processes,
            time_ns,
            first_value(time_ns) OVER smallest AS reference_ns,
            first_value(processes) OVER smallest AS reference_processes
        FROM efficiency_grid
        WHERE time_ns > 0
        WINDOW smallest AS (PARTITION BY application, size ORDER BY processes)
    )

SELECT
    application,
    size,
    processes,
    time_ns AS best_ns,
    reference_processes,
    reference_ns * reference_processes / time_ns AS speed_up,
    reference_ns * reference_processes / (time_ns * processes) AS efficiency_ratio
FROM measured
ORDER BY application, size, processes
LIMIT $row_limit::BIGINT
