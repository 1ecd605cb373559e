-- Growth of call paths in a campaign, for making a described program of it.
--
-- Grain:      one row per application, size or all sizes, and call path
-- Inputs:     call_path_growth, campaign_call_paths
-- Output:     growth of computing
-- Parameters: none
-- Assumes:    nothing
SELECT
    growth.application,
    growth.size,
    paths.call_path,
    growth.growth_exponent
FROM call_path_growth AS growth
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE growth.quantity = 'exclusive time' AND growth.growth_exponent IS NOT NULL
ORDER BY growth.application, growth.size NULLS FIRST, growth.call_path_key
