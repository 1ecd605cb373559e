-- Metrics for exploration, as a tree in which overhead classes are parts of the time.
--
-- Grain:      one row per metric
-- Inputs:     metrics
-- Output:     report section exploration
-- Parameters: none
SELECT
    metric,
    CASE
        -- Imbalance between partitions is no part of its parent: it has a distribution of its own.
        WHEN kind = 'critical path' THEN NULL
        -- Waiting, the third part of idle time, appears as wait states. Findings may overlap with
        -- other parts of their parent.
        WHEN kind IN ('idle', 'finding') THEN NULL
        WHEN kind = 'overhead' THEN coalesce(parent_metric, 'time')
        ELSE parent_metric
    END AS parent_metric,
    kind::VARCHAR AS kind,
    title,
    unit::VARCHAR AS unit,
    meaning
FROM metrics
ORDER BY
    list_position(
        [
            'profile',
            'overhead',
            'wait state',
            'completion',
            'finding',
            'threads',
            'idle',
            'critical path',
            'communication',
            'input/output'
        ],
        kind::VARCHAR
    ) NULLS LAST,
    metric <> 'time',
    metric
