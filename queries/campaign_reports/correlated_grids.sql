-- Values over the grid of the characteristics that go with efficiency most surely.
--
-- Of each kind of characteristic, only the surest is shown.
--
-- Grain:      one row per application, characteristic, and configuration with a value
-- Inputs:     grid_correlations, grid_characteristics, efficiency_grid, metrics
-- Output:     campaign report section characteristics
-- Parameters: none
-- Assumes:    nothing
WITH
    surest AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY application ORDER BY p_value, abs(spearman) DESC, kind
            ) AS place
        FROM (
            SELECT *
            FROM grid_correlations
            WHERE spearman IS NOT NULL
            QUALIFY
                row_number() OVER (
                    PARTITION BY application, kind
                    ORDER BY p_value, abs(spearman) DESC, characteristic
                ) = 1
        )
    )

SELECT
    surest.application,
    surest.place,
    coalesce(metrics.title, surest.characteristic) AS characteristic,
    surest.kind::VARCHAR AS kind,
    surest.unit,
    surest.spearman,
    surest.p_value,
    surest.q_value,
    surest.configuration_count,
    grid.processes,
    grid.size,
    grid.efficiency,
    own.value AS amount
FROM surest
INNER JOIN grid_characteristics AS own USING (application, kind, characteristic)
INNER JOIN efficiency_grid AS grid USING (application, processes, size)
LEFT JOIN metrics ON surest.kind = 'metric' AND surest.characteristic = metrics.metric
ORDER BY surest.application, surest.place, grid.processes, grid.size
