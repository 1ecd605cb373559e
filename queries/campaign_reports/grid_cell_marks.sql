-- Growth of efficiency over each cell of the grid.
--
-- Grain:      one row per application and cell
-- Inputs:     grid_cells
-- Output:     campaign report section efficiency
-- Parameters: $row_limit  maximum number of cells (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    lower_processes,
    upper_processes,
    lower_size,
    upper_size,
    size_axis,
    growth_processes AS process_growth,
    growth_size AS data_growth,
    mark_procs,
    mark_data,
    mark_all
FROM grid_cells
ORDER BY application, lower_processes, lower_size
LIMIT $row_limit::BIGINT
