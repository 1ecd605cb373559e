-- Limits of scaling by the chosen model: changes of sign, and bounds of efficiency.
--
-- Grain:      one row per application, constraint, quantity, bound, start and crossing
-- Inputs:     scalability_limits, surface_fits
-- Output:     campaign report section surface
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    limits.application,
    limits.constraint_kind,
    limits.quantity,
    limits.bound,
    limits.start_processes,
    limits.start_size,
    limits.processes AS crossing_processes,
    limits.size AS crossing_size,
    limits.is_falling,
    limits.is_extrapolated,
    limits.note,
    limits.model
FROM scalability_limits AS limits
INNER JOIN surface_fits
    ON limits.application = surface_fits.application AND limits.model = surface_fits.model
WHERE surface_fits.is_chosen
ORDER BY
    limits.application,
    limits.constraint_kind,
    limits.quantity,
    limits.bound DESC,
    limits.start_size,
    limits.start_processes,
    limits.ordinal
LIMIT $row_limit::BIGINT
