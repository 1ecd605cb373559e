-- What is not understood in a trace in CSV, where it stands first, and what may be meant.
--
-- Grain:      one row per column and cell
-- Inputs:     misread_cells
-- Output:     report section trace quality
-- Parameters: $row_limit  only the most frequent ones (BIGINT)
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
