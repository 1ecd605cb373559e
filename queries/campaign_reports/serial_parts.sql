-- Karp-Flatt serial fraction, and whether it lies in the valid range.
--
-- Grain:      one row per application, size and processes
-- Inputs:     serial_fractions
-- Output:     campaign report section indices
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    size,
    processes,
    reference_processes,
    value AS serial_fraction,
    is_in_range
FROM serial_fractions
ORDER BY application, size, processes
LIMIT $row_limit::BIGINT
