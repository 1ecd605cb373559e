-- Call paths whose share of the time grows most with the number of processes.
--
-- Grain:      one row per application and call path, over all sizes
-- Inputs:     call_path_growth, campaign_call_paths, campaign_settings, waiting_causes
-- Output:     campaign report section growth
-- Parameters: $row_limit  maximum number of call paths per application, largest growth first
--                         (BIGINT)
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
    ),

    changes AS (
        SELECT
            growth.application,
            growth.call_path_key,
            growth.size,
            growth.largest_share - growth.smallest_share AS change,
            first_value(growth.largest_share - growth.smallest_share) OVER (
                PARTITION BY growth.application, growth.call_path_key
                ORDER BY growth.size NULLS FIRST
            ) AS whole_change,
            settings.size_name
        FROM call_path_growth AS growth
        INNER JOIN campaign_settings AS settings
            ON growth.application = settings.application
        WHERE growth.quantity = 'exclusive time'
    ),

    -- Changes below a tenth of a percentage point have no direction.
    contrary AS (
        SELECT
            application,
            call_path_key,
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
        GROUP BY application, call_path_key
    )

SELECT
    growth.application,
    campaign_call_paths.call_path,
    parse_filename(campaign_call_paths.place) AS source,
    growth.smallest_share AS smallest_share_ratio,
    growth.largest_share AS largest_share_ratio,
    growth.largest_share - growth.smallest_share AS growth_ratio,
    contrary.other_sizes,
    causes.call_path AS cause_call_path,
    waiting_causes.cause_rank,
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
LEFT JOIN contrary
    ON growth.application = contrary.application AND growth.call_path_key = contrary.call_path_key
LEFT JOIN waiting_causes
    ON
        growth.application = waiting_causes.application
        AND growth.call_path_key = waiting_causes.call_path_key
        AND growth.largest_processes = waiting_causes.processes
        AND growth.largest_run_size = waiting_causes.size
LEFT JOIN campaign_call_paths AS causes
    ON waiting_causes.cause_call_path_key = causes.call_path_key
WHERE growth.size IS NULL AND growth.quantity = 'exclusive time'
QUALIFY
    row_number() OVER (
        PARTITION BY growth.application
        ORDER BY growth.largest_share - growth.smallest_share DESC NULLS LAST, growth.call_path_key
    ) <= $row_limit::BIGINT
ORDER BY
    growth.application,
    growth.largest_share - growth.smallest_share DESC NULLS LAST,
    growth.call_path_key
