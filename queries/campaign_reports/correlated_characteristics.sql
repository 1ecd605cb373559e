-- Correlation of efficiency with other characteristics over the grid, the surest first.
--
-- Grain:      one row per application and characteristic
-- Inputs:     grid_correlations, metrics
-- Output:     campaign report section characteristics
-- Parameters: $row_limit  maximum number of rows of each application (BIGINT)
-- Assumes:    nothing
SELECT
    found.application,
    found.kind::VARCHAR AS kind,
    coalesce(metrics.title, found.characteristic) AS characteristic,
    found.unit,
    found.spearman,
    found.p_value,
    found.q_value,
    found.configuration_count,
    found.reason
FROM grid_correlations AS found
LEFT JOIN metrics ON found.kind = 'metric' AND found.characteristic = metrics.metric
QUALIFY
    row_number() OVER (
        PARTITION BY found.application
        ORDER BY
            found.p_value NULLS LAST,
            abs(found.spearman) DESC,
            found.kind,
            found.characteristic
    ) <= $row_limit::BIGINT
ORDER BY
    found.application,
    found.p_value NULLS LAST,
    abs(found.spearman) DESC,
    found.kind,
    found.characteristic
