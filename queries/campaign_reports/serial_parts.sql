-- Serial fraction after Karp and Flatt, and whether it can be one.
--
-- Grain:      one row per application, size and processes
-- Inputs:     serial_fractions
-- Output:     campaign report section indices
-- Parameters: $row_limit  only the first rows (BIGINT)
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
