-- All metrics, with the entity of every level that each value belongs to.
--
-- Metrics are those of `metrics` in the whole run; main_ns and the primitive activities, such as
-- computing_ns, in the main part; path_ns; and counters. Waiting is blocked, and taken off the
-- activity of its call in times that include it. What happens in no call path is idle or unknown.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per metric, call path, location and activity
-- Inputs:     metric_cells, metrics, activity_times, critical_path_profile, counter_figures,
--             call_paths, region_classes, overhead_classes, locations, process_nodes
-- Output:     level_cells
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): program, machine, process, procedure, primitive activity
-- Assumes:    nothing
WITH
    activities AS (SELECT COLUMNS('^(run_id|overhead_id|activity)$') FROM overhead_classes),

    paths AS (
        SELECT COLUMNS('^(run_id|call_path_id|call_path|caller|activity)$')
        FROM (SELECT *, path AS call_path FROM call_paths)
        NATURAL LEFT JOIN (
            SELECT COLUMNS('^(run_id|parent_call_path_id|caller)$')
            FROM (
                SELECT
                    * REPLACE (call_path_id AS parent_call_path_id),
                    path AS caller
                FROM call_paths
            )
        )
        NATURAL LEFT JOIN region_classes
        NATURAL LEFT JOIN activities
    ),

    blocked AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            TRUE AS holds_waiting,
            sum(value) AS blocked_ns
        FROM metric_cells
        WHERE metric = 'idle_waiting'
        GROUP BY ALL
    ),

    -- Times that include the waiting of their call path are marked.
    metric_values AS (
        SELECT
            COLUMNS('^(run_id|metric|unit|call_path_id|location_id)$'),
            CASE
                WHEN call_path_id IS NULL AND metric NOT SIMILAR TO 'overhead_(outside|unid).*'
                    THEN 'idle'
                WHEN kind = 'wait state' OR metric IN ('idle', 'idle_waiting') THEN 'blocked'
                WHEN metric IN ('omp_idle_threads', 'omp_limited_parallelism') THEN 'idle'
            END AS own_activity,
            source = 'overheads' OR metric = 'time' AS holds_waiting,
            value
        FROM metric_cells
        NATURAL INNER JOIN (SELECT COLUMNS('^(run_id|metric|kind|unit)$') FROM metrics)
    ),

    divided AS (
        SELECT
            COLUMNS('^(run_id|metric|unit|call_path_id|location_id|own_activity)$'),
            value - least(coalesce(blocked_ns, 0), value) AS value
        FROM metric_values
        NATURAL LEFT JOIN blocked
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|metric|unit|call_path_id|location_id)$'),
            'blocked' AS own_activity,
            least(blocked_ns, value) AS value
        FROM metric_values
        NATURAL INNER JOIN blocked
    ),

    timed AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            unnest([
                'main_ns', replace(replace(lower(activity), 'i/o', 'io'), '/', '_') || '_ns'
            ]) AS metric,
            'ns' AS unit,
            activity AS own_activity,
            time_ns AS value
        FROM activity_times
    ),

    valued AS (
        FROM divided
        UNION ALL BY NAME
        FROM timed
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            'path_ns' AS metric,
            'ns' AS unit,
            path_ns AS value
        FROM critical_path_profile
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id|unit)$'),
            name AS metric,
            numerator AS value,
            denominator AS divisor
        FROM counter_figures
    )

SELECT
    COLUMNS('^(run_id|metric|unit)$'),
    coalesce(node, 'unknown') AS node,
    rank::VARCHAR AS process,
    rank || ':' || thread AS thread,
    coalesce(call_path, 'outside') AS call_path,
    caller,
    coalesce(own_activity, activity, 'unknown') AS activity,
    value::DOUBLE AS value,
    divisor
FROM valued
NATURAL LEFT JOIN paths
NATURAL INNER JOIN (
    SELECT COLUMNS('^(run_id|location_id|location_group_id|rank|thread)$') FROM locations
)
NATURAL INNER JOIN process_nodes
WHERE value <> 0 OR divisor IS NOT NULL
