-- How does the run time scale with the number of processes: speedup over the smallest run, and
-- efficiency?
--
-- Grain:      one row per program, size and number of processes that ran
-- Inputs:     efficiency_grid
-- Output:     answer
-- Parameters: none
SELECT
    application,
    size,
    processes,
    time_ns / 1e9 AS seconds,
    first(time_ns) OVER smallest / time_ns AS speed_up,
    efficiency
FROM efficiency_grid
WHERE time_ns IS NOT NULL
WINDOW smallest AS (PARTITION BY application, size ORDER BY processes)
ORDER BY application, size, processes
