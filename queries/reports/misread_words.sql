-- Cells of a CSV trace that were not understood, with their first line and the nearest known word.
--
-- Grain:      one row per column and cell
-- Inputs:     misread_cells
-- Needs rows: misread_cells
-- Output:     report section trace quality
-- Parameters: $row_limit  maximum number of cells, most frequent first (BIGINT)
SELECT
    column_name,
    cell,
    row_count,
    file,
    first_line,
    nearest
FROM misread_cells
ORDER BY row_count DESC, column_name, cell
LIMIT $row_limit::BIGINT
