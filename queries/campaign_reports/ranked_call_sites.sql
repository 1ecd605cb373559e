-- Call sites that scale worst, with their share of communication over the number of processes.
--
-- Grain:      one row per application and call site, over all sizes
-- Inputs:     call_site_ranking, call_site_times, campaign_runs
-- Output:     campaign report section call sites
-- Parameters: $row_limit  only the first call sites (BIGINT)
-- Assumes:    runs that do not visit a call site have no share of it
WITH
    shares AS (
        SELECT
            campaign_runs.application,
            call_site_times.call_path_key,
            campaign_runs.processes,
            avg(call_site_times.communication_share) AS share
        FROM call_site_times
        INNER JOIN campaign_runs
            ON call_site_times.campaign_run_id = campaign_runs.campaign_run_id
        GROUP BY
            campaign_runs.application, call_site_times.call_path_key, campaign_runs.processes
    ),

    -- Eight heights of a bar, the largest share the highest.
    drawn AS (
        SELECT
            application,
            call_path_key,
            processes,
            coalesce(
                substr(
                    '▁▂▃▄▅▆▇█',
                    1 + floor(
                        7.999 * share
                        / nullif(max(share) OVER (PARTITION BY application, call_path_key), 0)
                    )::INTEGER,
                    1
                ),
                '▁'
            ) AS bar
        FROM shares
    ),

    courses AS (
        SELECT
            application,
            call_path_key,
            string_agg(bar, '' ORDER BY processes) AS course
        FROM drawn
        GROUP BY application, call_path_key
    )

SELECT
    ranking.application,
    ranking.rank AS place,
    ranking.call_path,
    ranking.place AS source,
    ranking.spearman,
    ranking.p_value,
    ranking.perfect_p_value,
    ranking.q_value,
    ranking.spearman_low,
    ranking.spearman_high,
    courses.course,
    ranking.largest_share AS largest_share_ratio,
    ranking.mean_share AS mean_share_ratio,
    ranking.is_above_guard,
    ranking.largest_imbalance,
    ranking.run_count,
    ranking.reason
FROM call_site_ranking AS ranking
LEFT JOIN courses
    ON
        ranking.application = courses.application
        AND ranking.call_path_key = courses.call_path_key
WHERE ranking.size IS NULL
ORDER BY ranking.application, ranking.rank
LIMIT $row_limit::BIGINT
