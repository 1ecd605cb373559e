-- Overheads and wait states that grow most with the number of processes.
--
-- Grain:      one row per application and metric, over all sizes
-- Inputs:     metric_growth, campaign_settings
-- Output:     campaign report section growth
-- Parameters: $row_limit  maximum number of metrics per application, largest growth first (BIGINT)
-- Assumes:    metrics of the critical path are shown in the report of a run
WITH
    changes AS (
        SELECT
            growth.application,
            growth.metric,
            growth.size,
            growth.largest_share - growth.smallest_share AS change,
            first_value(growth.largest_share - growth.smallest_share) OVER (
                PARTITION BY growth.application, growth.metric ORDER BY growth.size NULLS FIRST
            ) AS whole_change,
            settings.size_name
        FROM metric_growth AS growth
        INNER JOIN campaign_settings AS settings
            ON growth.application = settings.application
    ),

    -- Changes below a tenth of a percentage point have no direction.
    contrary AS (
        SELECT
            application,
            metric,
            format(
                '{} at {} = {}',
                if(any_value(whole_change) > 0, 'falls', 'grows'),
                any_value(size_name),
                string_agg(format('{:g}', size), ', ' ORDER BY size)
            ) AS other_sizes
        FROM changes
        WHERE
            size IS NOT NULL
            AND change * whole_change < 0
            AND least(abs(change), abs(whole_change)) >= 0.001
        GROUP BY application, metric
    )

SELECT
    growth.application,
    growth.metric,
    growth.title,
    growth.smallest_share AS smallest_share_ratio,
    growth.largest_share AS largest_share_ratio,
    growth.largest_share - growth.smallest_share AS growth_ratio,
    contrary.other_sizes,
    growth.growth_exponent,
    growth.growth_error,
    growth.spearman,
    growth.p_value,
    growth.run_count
FROM metric_growth AS growth
LEFT JOIN contrary
    ON growth.application = contrary.application AND growth.metric = contrary.metric
WHERE
    growth.size IS NULL
    AND growth.share_of = 'time of all locations'
    -- Time without a call path is not part of the time of call paths.
    AND growth.metric NOT IN ('time', 'overhead_outside_visits', 'overhead_unidentified')
QUALIFY
    row_number() OVER (
        PARTITION BY growth.application
        ORDER BY growth.largest_share - growth.smallest_share DESC NULLS LAST, growth.metric
    ) <= $row_limit::BIGINT
ORDER BY
    growth.application,
    growth.largest_share - growth.smallest_share DESC NULLS LAST,
    growth.metric
