-- Relation between problem size and number of processes, as declared for each program.
--
-- Grain:      one row per application
-- Inputs:     campaign_settings
-- Output:     campaign report sections summary, efficiency and surface
-- Parameters: none
-- Assumes:    nothing
SELECT
    application,
    scaling
FROM campaign_settings
ORDER BY application
