-- Critical path of every configuration, largest size first.
--
-- Grain:      one row per application, size, processes, and call path with time on the path
-- Inputs:     configuration_paths, campaign_call_paths
-- Output:     campaign report section critical path
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    found.application,
    found.size,
    found.processes,
    paths.call_path,
    parse_filename(paths.place) AS source,
    round(found.path_ns)::BIGINT AS path_ns,
    found.path_share AS path_ratio,
    found.deviation_ratio,
    found.run_count,
    paths.operation IS NOT NULL AS is_communication,
    round(found.total_ns)::BIGINT AS whole_path_ns
FROM configuration_paths AS found
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE found.path_ns > 0
ORDER BY
    found.application,
    found.size DESC,
    found.processes,
    found.path_ns DESC,
    found.call_path_key
LIMIT $row_limit::BIGINT
