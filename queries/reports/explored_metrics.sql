-- The metrics that can be explored, as a tree: the classes of overhead are parts of the time.
--
-- Grain:      one row per metric
-- Inputs:     metrics
-- Output:     report section exploration
-- Parameters: none
SELECT
    metric,
    CASE
        -- Imbalance between partitions is shared out by a rule of its own, not as a part.
        WHEN kind = 'critical path' THEN NULL
        -- Waiting, the third part of idle time, is there as wait states.
        -- Findings may be about the same time as what they are part of.
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
