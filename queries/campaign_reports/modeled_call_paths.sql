-- Models of the time of call paths per process, over processes and size.
--
-- Grain:      one row per application and call path with a large enough share of time
-- Inputs:     call_path_models, campaign_call_paths
-- Output:     campaign report section growth
-- Parameters: $row_limit  maximum number of call paths per application, largest share first
--                         (BIGINT)
-- Assumes:    nothing
SELECT
    models.application,
    campaign_call_paths.call_path,
    parse_filename(campaign_call_paths.place) AS source,
    CASE
        WHEN models.formula IS NULL OR models.is_describing THEN models.formula
        ELSE
            format(
                'no model fits; the best one is off by {:.1f}%: {}',
                100 * models.cross_validated_error,
                models.formula
            )
    END AS formula,
    CASE WHEN models.is_describing THEN models.leading_in_processes END AS leading_in_processes,
    CASE WHEN models.is_describing THEN models.leading_in_size END AS leading_in_size,
    models.smallest_processes,
    models.configuration_count,
    models.largest_share_ratio,
    models.symmetric_error AS symmetric_error_ratio,
    models.cross_validated_error AS cross_validated_ratio,
    models.noise_ratio,
    models.verdict,
    models.reason
FROM call_path_models AS models
INNER JOIN campaign_call_paths ON models.call_path_key = campaign_call_paths.call_path_key
QUALIFY
    row_number() OVER (
        PARTITION BY models.application
        ORDER BY models.largest_share_ratio DESC, models.call_path_key
    ) <= $row_limit::BIGINT
ORDER BY models.application, models.largest_share_ratio DESC, models.call_path_key
