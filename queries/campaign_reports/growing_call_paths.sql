-- Call paths whose share of the time grows most with the number of processes.
--
-- Grain:      one row per application and call path, over all sizes
-- Inputs:     call_path_growth, campaign_call_paths
-- Output:     campaign report section growth
-- Parameters: $row_limit  only those that grow most (BIGINT)
-- Assumes:    nothing
WITH
    waiting AS (
        SELECT
            application,
            call_path_key,
            largest_share
        FROM call_path_growth
        WHERE size IS NULL AND quantity = 'waiting'
    ),

    decisive AS (
        SELECT
            application,
            call_path_key,
            largest_share
        FROM call_path_growth
        WHERE size IS NULL AND quantity = 'critical path'
    )

SELECT
    growth.application,
    campaign_call_paths.call_path,
    growth.smallest_share AS smallest_share_ratio,
    growth.largest_share AS largest_share_ratio,
    growth.largest_share - growth.smallest_share AS growth_ratio,
    growth.growth_exponent,
    growth.spearman,
    growth.p_value,
    waiting.largest_share AS wait_share_ratio,
    decisive.largest_share AS path_share_ratio
FROM call_path_growth AS growth
INNER JOIN campaign_call_paths ON growth.call_path_key = campaign_call_paths.call_path_key
LEFT JOIN waiting
    ON growth.application = waiting.application AND growth.call_path_key = waiting.call_path_key
LEFT JOIN decisive
    ON growth.application = decisive.application AND growth.call_path_key = decisive.call_path_key
WHERE growth.size IS NULL AND growth.quantity = 'exclusive time'
ORDER BY
    growth.application,
    growth.largest_share - growth.smallest_share DESC NULLS LAST,
    growth.call_path_key
LIMIT $row_limit::BIGINT
