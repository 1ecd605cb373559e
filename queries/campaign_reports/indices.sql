-- Performance indices, each with measure, constraint, model and reference point.
--
-- Indices of different blocks have different constraints or references and cannot be compared.
--
-- Grain:      one row per application, block, measure, model, size and processes
-- Inputs:     performance_indices, surface_fits
-- Output:     campaign report section indices
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    of models that are only fits, only the chosen one is needed; Amdahl's model is also a
--             model of indices
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
WHERE surface_fits.model IS NULL OR surface_fits.is_chosen OR indices.model = 'Amdahl'
ORDER BY
    indices.application,
    indices.block,
    indices.measure,
    indices.model,
    indices.size,
    indices.processes
LIMIT $row_limit::BIGINT
