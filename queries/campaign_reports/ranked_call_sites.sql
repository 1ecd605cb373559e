-- Call sites that scale worst, with their share of communication by number of processes.
--
-- Grain:      one row per application and call site, over all sizes
-- Inputs:     call_site_ranking, call_site_times, communication_times, campaign_runs
-- Output:     campaign report section call sites
-- Parameters: $row_limit  maximum number of call sites per application (BIGINT)
-- Assumes:    runs with fewer processes than the smallest ranked run are left out
WITH
    shown AS (
        SELECT *
        FROM call_site_ranking
        WHERE size IS NULL AND call_site_ranking.rank <= $row_limit::BIGINT
    ),

    -- Ranked runs; a run that does not visit a call site counts with the share 0.
    shares AS (
        SELECT
            shown.application,
            shown.call_path_key,
            campaign_runs.processes,
            avg(coalesce(call_site_times.communication_share, 0)) AS share
        FROM shown
        INNER JOIN campaign_runs
            ON
                shown.application = campaign_runs.application
                AND shown.smallest_processes <= campaign_runs.processes
                AND campaign_runs.state = 'measured'
        INNER JOIN communication_times
            ON
                campaign_runs.campaign_run_id = communication_times.campaign_run_id
                AND communication_times.communication_ns > 0
        LEFT JOIN call_site_times
            ON
                campaign_runs.campaign_run_id = call_site_times.campaign_run_id
                AND shown.call_path_key = call_site_times.call_path_key
        GROUP BY shown.application, shown.call_path_key, campaign_runs.processes
    ),

    -- Bars of eight heights; the largest share is the highest.
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
    parse_filename(ranking.place) AS source,
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
FROM shown AS ranking
LEFT JOIN courses
    ON
        ranking.application = courses.application
        AND ranking.call_path_key = courses.call_path_key
ORDER BY ranking.application, ranking.rank
