-- Call paths whose time on the critical path grows, shrinks or stays, from the fewest to the most
-- processes of the largest size.
--
-- Grain:      one row per application and call path
-- Inputs:     path_changes, campaign_call_paths, campaign_settings, campaign_runs
-- Output:     campaign report section critical path
-- Parameters: $row_limit  maximum number of call paths per application (BIGINT)
-- Assumes:    nothing
WITH
    largest AS (
        FROM path_changes
        QUALIFY
            largest_size = max(largest_size) OVER (PARTITION BY application)
    ),

    size_counts AS (
        SELECT
            application,
            count(DISTINCT size) AS size_count
        FROM campaign_runs
        WHERE state = 'measured'
        GROUP BY application
    )

SELECT
    changes.application,
    changes.verdict,
    paths.call_path,
    parse_filename(paths.place) AS source,
    round(changes.smallest_ns)::BIGINT AS fewest_ns,
    round(changes.largest_ns)::BIGINT AS most_ns,
    changes.largest_share AS largest_share_ratio,
    round(changes.divided_ns)::BIGINT AS divided_ns,
    changes.noise_ratio,
    round(changes.least_change_ns)::BIGINT AS least_change_ns,
    paths.operation IS NOT NULL AS is_communication,
    callers.call_path AS caller_call_path,
    changes.smallest_processes,
    changes.largest_processes,
    changes.smallest_size,
    changes.largest_size,
    settings.size_name,
    size_counts.size_count,
    settings.is_setup_included,
    least(changes.smallest_run_count, changes.largest_run_count) AS run_count,
    round(changes.smallest_total_ns)::BIGINT AS smallest_total_ns,
    round(changes.largest_total_ns)::BIGINT AS largest_total_ns
FROM largest AS changes
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
INNER JOIN campaign_settings AS settings USING (application)
INNER JOIN size_counts USING (application)
LEFT JOIN campaign_call_paths AS callers ON paths.parent_call_path_key = callers.call_path_key
QUALIFY
    row_number() OVER (
        PARTITION BY changes.application
        ORDER BY greatest(changes.smallest_ns, changes.largest_ns) DESC, changes.call_path_key
    ) <= $row_limit::BIGINT
ORDER BY
    changes.application,
    list_position(['grows', 'does not shrink', 'shrinks'], changes.verdict::VARCHAR),
    if(changes.verdict = 'grows', changes.largest_ns - changes.smallest_ns, changes.largest_ns)
    DESC,
    changes.call_path_key
