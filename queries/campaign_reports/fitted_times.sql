-- Measured times and times fitted by the chosen model, by processes and size.
--
-- Grain:      one row per application, size and processes
-- Inputs:     surface_points, surface_fits
-- Output:     campaign report section surface
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    surface_points.application,
    surface_points.size,
    surface_points.processes,
    surface_points.measured_ns,
    surface_points.fitted_ns,
    surface_points.fitted_ns / nullif(surface_points.measured_ns, 0) - 1 AS error_ratio,
    surface_points.lower_ns,
    surface_points.upper_ns,
    surface_points.model
FROM surface_points
INNER JOIN surface_fits
    ON
        surface_points.application = surface_fits.application
        AND surface_points.model = surface_fits.model
WHERE surface_fits.is_chosen
ORDER BY surface_points.application, surface_points.size, surface_points.processes
LIMIT $row_limit::BIGINT
