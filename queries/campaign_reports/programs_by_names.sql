-- Programs whose runs are grouped only by the names of their traces.
--
-- Grain:      one row per application
-- Inputs:     campaign_runs, campaign_settings
-- Output:     campaign report section runs
-- Parameters: $row_limit  maximum number of applications (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    count(*) AS run_count,
    min(campaign_runs.label) AS first_label,
    max(campaign_runs.label) AS last_label
FROM campaign_runs
INNER JOIN campaign_settings USING (application)
WHERE campaign_settings.named_by = 'names of traces'
GROUP BY application
HAVING count(*) > 1
ORDER BY application
LIMIT $row_limit::BIGINT
