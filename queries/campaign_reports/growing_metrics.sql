-- Overheads and wait states that grow most with the number of processes.
--
-- Grain:      one row per application and metric, over all sizes
-- Inputs:     metric_growth
-- Output:     campaign report section growth
-- Parameters: $row_limit  only those that grow most (BIGINT)
-- Assumes:    metrics of the critical path are told by their section of a run's report
SELECT
    application,
    metric,
    smallest_share AS smallest_share_ratio,
    largest_share AS largest_share_ratio,
    largest_share - smallest_share AS growth_ratio,
    growth_exponent,
    growth_error,
    spearman,
    p_value,
    run_count
FROM metric_growth
WHERE
    size IS NULL
    AND share_of = 'time of all locations'
    -- What is in no call path is no part of the time of call paths.
    AND metric NOT IN ('time', 'overhead_outside_visits', 'overhead_unidentified')
ORDER BY application, largest_share - smallest_share DESC NULLS LAST, metric
LIMIT $row_limit::BIGINT
