-- Call sites for the summary of scaling: the first of each kind in the ranking.
--
-- For every application: the site with the largest coefficient, the first site with a significant
-- share, and the first of those that grows with statistical significance.
--
-- Grain:      one row per application and call site, at most three, over all sizes
-- Inputs:     call_site_ranking, campaign_runs, campaign_call_paths, waiting_causes
-- Output:     campaign report section call sites
-- Parameters: none
-- Assumes:    statistical significance is a false discovery rate below 0.05, as stated in the
--             section
WITH
    firsts AS (
        SELECT
            application,
            min(call_site_ranking.rank) AS first_rank,
            min(call_site_ranking.rank) FILTER (is_above_guard) AS mattering_rank,
            min(call_site_ranking.rank) FILTER (
                is_above_guard AND spearman > 0 AND q_value < 0.05
            ) AS growing_rank
        FROM call_site_ranking
        WHERE size IS NULL
        GROUP BY application
    ),

    largest_sizes AS (
        SELECT
            application,
            processes,
            max(size) AS size
        FROM campaign_runs
        WHERE state = 'measured'
        GROUP BY application, processes
    )

SELECT
    ranking.application,
    ranking.call_path,
    ranking.place AS source,
    ranking.spearman,
    ranking.p_value,
    ranking.perfect_p_value,
    ranking.q_value,
    ranking.largest_share AS largest_share_ratio,
    ranking.is_above_guard,
    ranking.run_count,
    ranking.reason,
    causes.call_path AS cause_call_path,
    waiting.cause_rank
FROM call_site_ranking AS ranking
INNER JOIN firsts USING (application)
LEFT JOIN largest_sizes
    ON
        ranking.application = largest_sizes.application
        AND ranking.largest_processes = largest_sizes.processes
LEFT JOIN waiting_causes AS waiting
    ON
        ranking.application = waiting.application
        AND ranking.call_path_key = waiting.call_path_key
        AND largest_sizes.processes = waiting.processes
        AND largest_sizes.size = waiting.size
LEFT JOIN campaign_call_paths AS causes ON waiting.cause_call_path_key = causes.call_path_key
WHERE
    ranking.size IS NULL
    AND ranking.rank IN (firsts.first_rank, firsts.mattering_rank, firsts.growing_rank)
ORDER BY ranking.application, ranking.rank
