-- Karp-Flatt serial fraction, whether it lies in the valid range, and the measured serial share.
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
    is_in_range,
    measured_share AS measured_share_ratio
FROM serial_fractions
ORDER BY application, size, processes
LIMIT $row_limit::BIGINT
