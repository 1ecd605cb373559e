-- Call sites that scale worst at a fixed problem size: the first ones of every size.
--
-- Grain:      one row per application, size with three numbers of processes, and call site
-- Inputs:     call_site_ranking
-- Output:     campaign report section call sites
-- Parameters: $row_limit  maximum number of rows per application, in equal parts for its sizes
--                         (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    size,
    ranking.rank AS place,
    call_path,
    parse_filename(ranking.place) AS source,
    spearman,
    p_value,
    perfect_p_value,
    q_value,
    largest_share AS largest_share_ratio,
    mean_share AS mean_share_ratio,
    is_above_guard,
    run_count,
    smallest_processes,
    largest_processes,
    reason
FROM call_site_ranking AS ranking
WHERE size IS NOT NULL
QUALIFY
    row_number() OVER (PARTITION BY application ORDER BY ranking.rank, size)
    <= $row_limit::BIGINT
ORDER BY application, size, ranking.rank
