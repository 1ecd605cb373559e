-- Scalability function of the chosen model by processes and size, for each constraint.
--
-- Grain:      one row per application, constraint, size and processes
-- Inputs:     scalability_functions, surface_fits
-- Output:     campaign report section surface
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    functions.application,
    functions.constraint_kind,
    functions.size,
    functions.processes,
    functions.mean_speed_up,
    functions.value AS scalability,
    functions.elasticity,
    functions.is_measured,
    functions.model
FROM scalability_functions AS functions
INNER JOIN surface_fits
    ON
        functions.application = surface_fits.application
        AND functions.model = surface_fits.model
WHERE surface_fits.is_chosen
ORDER BY functions.application, functions.constraint_kind, functions.size, functions.processes
LIMIT $row_limit::BIGINT
