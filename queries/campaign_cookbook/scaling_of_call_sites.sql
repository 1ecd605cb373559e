-- Which MPI calls scale worst?
--
-- Grain:      one row per ranked call site, the 20 with the largest growth
-- Inputs:     call_site_ranking
-- Output:     answer
-- Parameters: none
SELECT
    application,
    size,
    rank,
    call_path,
    spearman,
    p_value,
    mean_share
FROM call_site_ranking
WHERE rank IS NOT NULL
ORDER BY rank, application, size, call_path_key
LIMIT 20
