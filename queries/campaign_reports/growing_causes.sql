-- Causes of waiting whose cost grows most, from fewest to most processes of the largest size.
--
-- Grain:      one row per application and causing call path with 0.1% of all waiting at an end
-- Inputs:     configuration_causes, cause_ranking, campaign_call_paths, campaign_settings
-- Output:     campaign report section causes
-- Parameters: $row_limit  maximum number of causes per application, largest growth first (BIGINT)
-- Assumes:    the largest size is that of the runs with the most processes
WITH
    largest AS (
        SELECT
            application,
            max(processes) AS processes,
            arg_max(size, (processes, size)) AS size,
            count(DISTINCT size) AS size_count
        FROM configuration_causes
        GROUP BY application
    ),

    ends AS (
        SELECT
            largest.application,
            largest.size,
            largest.size_count,
            min(causes.processes) AS smallest_processes,
            largest.processes AS largest_processes
        FROM largest
        INNER JOIN configuration_causes AS causes USING (application, size)
        GROUP BY ALL
    ),

    costs AS (
        SELECT
            ends.application,
            ends.size,
            ends.size_count,
            ends.smallest_processes,
            ends.largest_processes,
            causes.call_path_key,
            coalesce(max(causes.caused_ns) FILTER (causes.processes = smallest_processes), 0)
                AS smallest_ns,
            coalesce(max(causes.caused_ns) FILTER (causes.processes = largest_processes), 0)
                AS largest_ns,
            coalesce(max(causes.waiting_share) FILTER (causes.processes = smallest_processes), 0)
                AS smallest_share,
            coalesce(max(causes.waiting_share) FILTER (causes.processes = largest_processes), 0)
                AS largest_share,
            max(causes.rank) FILTER (causes.processes = largest_processes) AS rank
        FROM ends
        INNER JOIN configuration_causes AS causes
            ON
                ends.application = causes.application
                AND ends.size = causes.size
                AND causes.processes IN (ends.smallest_processes, ends.largest_processes)
        GROUP BY ALL
    )

SELECT
    costs.application,
    paths.call_path,
    parse_filename(paths.place) AS source,
    costs.rank AS cause_rank,
    round(costs.smallest_ns)::BIGINT AS fewest_ns,
    round(costs.largest_ns)::BIGINT AS most_ns,
    round(costs.largest_ns - costs.smallest_ns)::BIGINT AS growth_ns,
    costs.smallest_share AS smallest_share_ratio,
    costs.largest_share AS largest_share_ratio,
    ranking.spearman,
    ranking.p_value,
    ranking.q_value,
    ranking.run_count,
    paths.operation IS NOT NULL AS is_communication,
    paths.is_setup,
    callers.call_path AS caller_call_path,
    costs.smallest_processes,
    costs.largest_processes,
    settings.size_name,
    costs.size,
    costs.size_count
FROM costs
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
INNER JOIN campaign_settings AS settings USING (application)
LEFT JOIN campaign_call_paths AS callers ON paths.parent_call_path_key = callers.call_path_key
LEFT JOIN cause_ranking AS ranking
    ON
        costs.application = ranking.application
        AND costs.call_path_key = ranking.call_path_key
        AND ranking.size IS NULL
WHERE greatest(costs.smallest_share, costs.largest_share) >= 0.001
QUALIFY
    row_number() OVER (
        PARTITION BY costs.application
        ORDER BY costs.largest_ns - costs.smallest_ns DESC, costs.call_path_key
    ) <= $row_limit::BIGINT
ORDER BY costs.application, costs.largest_ns - costs.smallest_ns DESC, costs.call_path_key
