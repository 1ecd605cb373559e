-- Lost parallelism of every configuration, largest size and most processes first.
--
-- Grain:      one row per application, size, processes and call path with a loss
-- Inputs:     configuration_losses, campaign_call_paths
-- Output:     campaign report section causes
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    losses.application,
    losses.size,
    losses.processes,
    paths.call_path,
    parse_filename(paths.place) AS source,
    losses.rank,
    losses.participant_count,
    round(losses.lost_ns)::BIGINT AS lost_ns,
    round(losses.alone_ns)::BIGINT AS alone_ns,
    losses.lost_share AS lost_ratio,
    losses.run_count
FROM configuration_losses AS losses
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE losses.lost_ns > 0
ORDER BY
    losses.application,
    losses.size DESC,
    losses.processes DESC,
    losses.lost_ns DESC,
    losses.call_path_key
LIMIT $row_limit::BIGINT
