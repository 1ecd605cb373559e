-- Call sites for the summary of scaling: the first of each kind in the ranking.
--
-- For every application: the site with the largest coefficient, the first site with a significant
-- share, and the first of those that grows with statistical significance.
--
-- Grain:      one row per application and call site, at most three, over all sizes
-- Inputs:     call_site_ranking
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
    )

SELECT
    application,
    call_path,
    place AS source,
    spearman,
    p_value,
    perfect_p_value,
    q_value,
    largest_share AS largest_share_ratio,
    is_above_guard,
    run_count,
    reason
FROM call_site_ranking AS ranking
INNER JOIN firsts USING (application)
WHERE
    size IS NULL
    AND ranking.rank IN (firsts.first_rank, firsts.mattering_rank, firsts.growing_rank)
ORDER BY application, ranking.rank
