-- Efficiency and time of the best run of every configuration of the grid.
--
-- Grain:      one row per application, size and processes
-- Inputs:     efficiency_grid
-- Output:     campaign report section efficiency
-- Parameters: $row_limit  maximum number of configurations (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    size,
    processes,
    computation_size,
    state,
    efficiency AS efficiency_ratio,
    time_ns AS best_ns,
    median_ns,
    longest_ns,
    repetition_count,
    variant,
    reference_processes,
    efficiency_definition,
    reason
FROM efficiency_grid
ORDER BY application, size, processes
LIMIT $row_limit::BIGINT
