-- Terms of the composed model, largest share first.
--
-- Grain:      one row per application with a composed model, and part of the critical path
-- Inputs:     composed_terms, campaign_call_paths
-- Output:     campaign report section surface
-- Parameters: none
-- Assumes:    nothing
SELECT
    terms.application,
    coalesce(paths.call_path, terms.part) AS call_path,
    terms.formula,
    terms.processes,
    terms.size,
    terms.share_ratio,
    terms.cross_validated_error AS cross_validated_ratio
FROM composed_terms AS terms
LEFT JOIN campaign_call_paths AS paths USING (call_path_key)
ORDER BY terms.application, terms.ordinal
