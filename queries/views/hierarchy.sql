-- All metrics on all levels: program, nodes, processes, threads, call paths, primitive activities.
--
-- Counters that are ratios or means are those of the sums. All other values have the same sum on
-- every level.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per level, entity and metric with a value
-- Inputs:     level_cells
-- Output:     hierarchy
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): program, machine, process, procedure, primitive activity
-- Assumes:    nothing
WITH
    placed AS (
        SELECT
            COLUMNS('^(run_id|metric|unit|value|divisor)$'),
            unnest(
                [
                    {'level': 'program', 'entity': 'program', 'parent_entity': NULL},
                    {'level': 'node', 'entity': node, 'parent_entity': 'program'},
                    {'level': 'process', 'entity': process, 'parent_entity': node},
                    {'level': 'thread', 'entity': thread, 'parent_entity': process},
                    {
                        'level': 'call path',
                        'entity': call_path,
                        'parent_entity': coalesce(caller, 'program')
                    },
                    {'level': 'activity', 'entity': activity, 'parent_entity': 'program'}
                ],
                recursive := TRUE
            )
        FROM level_cells
    ),

    summed AS (
        SELECT
            COLUMNS('^(run_id|level|entity|metric|unit)$'),
            min(parent_entity) AS parent_entity,
            sum(value) AS value,
            sum(divisor) AS divisor
        FROM placed
        GROUP BY ALL
    ),

    totals AS (
        SELECT COLUMNS('^(run_id|metric|unit|total)$')
        FROM (SELECT *, value AS total FROM summed WHERE level = 'program' AND divisor IS NULL)
    )

SELECT
    COLUMNS('^(run_id|level|entity|metric)$'),
    parent_entity,
    if(divisor IS NULL, value, value / nullif(divisor, 0)) AS value,
    unit,
    value / nullif(total, 0) AS share
FROM summed
NATURAL LEFT JOIN totals
WHERE value <> 0 OR divisor IS NOT NULL
