-- Causes of waiting of every configuration, without those below one percent of it.
--
-- Grain:      one row per application, configuration and causing call path
-- Inputs:     configuration_causes, campaign_call_paths
-- Output:     campaign report section causes
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    causes.application,
    causes.size,
    causes.processes,
    paths.call_path,
    causes.rank AS cause_rank,
    round(causes.caused_ns)::BIGINT AS caused_ns,
    round(causes.direct_ns)::BIGINT AS direct_ns,
    causes.waiting_share AS waiting_ratio,
    causes.run_count
FROM configuration_causes AS causes
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE causes.waiting_share >= 0.01
ORDER BY
    causes.application,
    causes.size,
    causes.processes,
    causes.caused_ns DESC,
    causes.call_path_key
LIMIT $row_limit::BIGINT
