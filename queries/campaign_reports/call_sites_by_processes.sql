-- Time of the call sites of each operation, by number of processes.
--
-- Grain:      one row per application, call site and processes
-- Inputs:     call_site_times, campaign_call_paths, campaign_runs
-- Output:     campaign report section call sites
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    repeated runs and sizes are averaged
WITH
    averaged AS (
        SELECT
            campaign_runs.application,
            call_site_times.operation,
            call_site_times.call_path_key,
            campaign_runs.processes,
            max(campaign_runs.size) AS largest_size,
            avg(call_site_times.call_count) AS call_count,
            avg(call_site_times.total_ns) AS total_ns,
            avg(call_site_times.shortest_ns) AS shortest_ns,
            avg(call_site_times.mean_ns) AS mean_ns,
            avg(call_site_times.longest_ns) AS longest_ns,
            avg(call_site_times.communication_share) AS communication_ratio,
            avg(call_site_times.application_share) AS application_ratio
        FROM call_site_times
        INNER JOIN campaign_runs
            ON call_site_times.campaign_run_id = campaign_runs.campaign_run_id
        GROUP BY
            campaign_runs.application,
            call_site_times.operation,
            call_site_times.call_path_key,
            campaign_runs.processes
    )

SELECT
    averaged.application,
    averaged.operation,
    campaign_call_paths.call_path,
    parse_filename(campaign_call_paths.place) AS source,
    averaged.processes,
    averaged.largest_size,
    averaged.call_count::BIGINT AS call_count,
    averaged.total_ns::BIGINT AS total_ns,
    averaged.shortest_ns::BIGINT AS shortest_ns,
    averaged.mean_ns::BIGINT AS mean_ns,
    averaged.longest_ns::BIGINT AS longest_ns,
    averaged.communication_ratio,
    averaged.application_ratio
FROM averaged
INNER JOIN campaign_call_paths ON averaged.call_path_key = campaign_call_paths.call_path_key
ORDER BY
    averaged.application,
    max(averaged.total_ns) OVER (PARTITION BY averaged.application, averaged.operation) DESC,
    averaged.operation,
    max(averaged.total_ns) OVER (PARTITION BY averaged.application, averaged.call_path_key) DESC,
    averaged.call_path_key,
    averaged.processes
LIMIT $row_limit::BIGINT
