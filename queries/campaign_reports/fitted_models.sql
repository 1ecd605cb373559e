-- Models of the run time over processes and size, best first.
--
-- Grain:      one row per application and model
-- Inputs:     surface_fits
-- Output:     campaign report section surface
-- Parameters: none
-- Assumes:    nothing
SELECT
    application,
    model,
    is_chosen,
    formula,
    parameter_count,
    relative_error AS relative_error_ratio,
    cross_validated_error AS cross_validated_ratio,
    noise_ratio,
    verdict,
    reason
FROM surface_fits
ORDER BY application, surface_fits.rank NULLS LAST, formula IS NULL, model
