-- Programs whose call sites are not distinguished, because some runs lack them.
--
-- Grain:      one row per application
-- Inputs:     campaign_settings
-- Output:     campaign report section runs
-- Parameters: none
-- Assumes:    nothing
SELECT application
FROM campaign_settings
WHERE are_sites_joined
ORDER BY application
