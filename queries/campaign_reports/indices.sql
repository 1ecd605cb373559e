-- Performance indices, each with measure, constraint, model and reference point.
--
-- Those of different blocks refer to different points and are not comparable.
--
-- Grain:      one row per application, block, measure, model, size and processes
-- Inputs:     performance_indices, surface_fits
-- Output:     campaign report section indices
-- Parameters: $row_limit  only the first rows (BIGINT)
-- Assumes:    of the fitted models, the chosen one is enough here
SELECT
    indices.application,
    indices.block,
    indices.reference_point,
    indices.measure,
    indices.constraint_kind,
    indices.model,
    indices.size,
    indices.processes,
    indices.value AS index_value,
    indices.note
FROM performance_indices AS indices
LEFT JOIN surface_fits
    ON indices.application = surface_fits.application AND indices.model = surface_fits.model
WHERE surface_fits.model IS NULL OR surface_fits.is_chosen
ORDER BY
    indices.application,
    indices.block,
    indices.measure,
    indices.model,
    indices.size,
    indices.processes
LIMIT $row_limit::BIGINT
