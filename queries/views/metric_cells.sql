-- Every metric per call path and location; a metric includes its sub-metrics.
--
-- Metrics with values nearly everywhere are not stored among the severities but computed here from
-- tables of their own. Idle threads, time outside visits and absence happen in no call path.
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per metric, call path and location where it may be other than zero, extended
--             ones separate
-- Inputs:     severities, call_tree, call_paths, critical_path_work, fork_join_times,
--             region_classes, overhead_classes, location_overheads, metrics,
--             computational_imbalance, imbalance_scopes, wait_states, idle_times
-- Output:     metric_cells
-- Parameters: none
-- Source:     Scalasca pattern reference; Truong and Fahringer 2001 (SCALEA) on overheads
-- Assumes:    overheads have at most one metric above them
WITH
    -- Time of call paths themselves: fork and join of a parallel region have a class of their own.
    own_times AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            visit_count > 0 OR shortest_ns IS NOT NULL AS is_visited,
            fork_join_ns IS NOT NULL AS is_forked,
            exclusive_ns - coalesce(fork_join_ns, 0) AS value
        FROM call_tree
        NATURAL LEFT JOIN fork_join_times
    ),

    path_classes AS (
        SELECT COLUMNS('^(run_id|call_path_id|overhead_id)$')
        FROM call_paths
        NATURAL INNER JOIN region_classes
        WHERE kind <> 'task_stub'
    ),

    -- Each class and the metric above it.
    class_metrics AS (
        SELECT
            COLUMNS('^(run_id|overhead_id|overhead_subclass)$'),
            unnest([metric, parent_metric]) AS metric
        FROM overhead_classes
        NATURAL INNER JOIN (SELECT COLUMNS('^(run_id|metric|parent_metric)$') FROM metrics)
    ),

    -- Tasks are counted where they run, not where they are scheduled.
    own_classes AS (
        SELECT COLUMNS('^(run_id|metric|call_path_id|location_id|is_forked|value)$')
        FROM own_times
        NATURAL INNER JOIN path_classes
        NATURAL INNER JOIN class_metrics
        WHERE metric IS NOT NULL
    ),

    -- Classes of one call path may have a metric in common.
    classified AS (
        SELECT COLUMNS('^(run_id|metric|call_path_id|location_id|value)$')
        FROM own_classes
        WHERE is_forked
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|metric|call_path_id|location_id)$'),
            fork_join_ns AS value
        FROM (SELECT *, 'fork/join' AS overhead_subclass FROM fork_join_times)
        NATURAL INNER JOIN class_metrics
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|metric|location_id)$'),
            time_ns AS value
        FROM location_overheads
        NATURAL INNER JOIN (
            FROM class_metrics WHERE overhead_subclass IN ('outside visits', 'idle threads')
        )
    ),

    -- How far every location that takes part, or could, is from the mean.
    participants AS (SELECT * EXCLUDE (is_visited, is_forked) FROM own_times WHERE is_visited),

    means AS (
        SELECT COLUMNS('^(run_id|call_path_id|scope|mean_ns|visitor_count)$')
        FROM computational_imbalance
    ),

    deviations AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id|visitor_count)$'),
            value - mean_ns AS deviation_ns
        FROM means
        NATURAL INNER JOIN participants
    ),

    imbalances AS (
        SELECT
            unnest([
                'imbalance',
                if(deviation_ns > 0, 'imbalance_above', 'imbalance_below'),
                if(deviation_ns > 0 AND visitor_count = 1, 'imbalance_above_single', NULL)
            ]) AS metric,
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            abs(deviation_ns) AS value
        FROM deviations
        WHERE deviation_ns <> 0
    ),

    -- Locations without visits lack the whole mean. They are apart, since they are many if call
    -- paths are.
    absences AS (
        SELECT
            unnest([
                'imbalance',
                'imbalance_below',
                'imbalance_below_bypass',
                if(visitor_count > 1, NULL, 'imbalance_below_singularity')
            ]) AS metric,
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            mean_ns AS value
        FROM means
        NATURAL INNER JOIN imbalance_scopes
        NATURAL LEFT JOIN participants
        WHERE value IS NULL AND mean_ns <> 0
    ),

    idle_parts AS (
        SELECT
            'idle_waiting' AS metric,
            COLUMNS('^(run_id|call_path_id|location_id|is_extended)$'),
            wait_ns AS value
        FROM wait_states
        WHERE NOT is_completion
        UNION ALL BY NAME
        SELECT
            'idle_thread' AS metric,
            COLUMNS('^(run_id|location_id)$'),
            idle_thread_ns AS value
        FROM idle_times
        UNION ALL BY NAME
        SELECT
            'idle_absent' AS metric,
            COLUMNS('^(run_id|location_id)$'),
            absent_ns AS value
        FROM idle_times
    ),

    idle AS (
        FROM idle_parts
        UNION ALL BY NAME
        SELECT * REPLACE ('idle' AS metric) FROM idle_parts
    )

-- A source of which nothing is wanted is not read.
SELECT *, 'severities' AS source FROM severities
UNION ALL BY NAME
SELECT
    'time' AS metric,
    COLUMNS('^(run_id|call_path_id|location_id)$'),
    exclusive_ns AS value,
    FALSE AS is_extended,
    'call_tree' AS source
FROM call_tree
UNION ALL BY NAME
SELECT
    'visits' AS metric,
    COLUMNS('^(run_id|call_path_id|location_id)$'),
    visit_count AS value,
    FALSE AS is_extended,
    'call_tree' AS source
FROM call_tree
UNION ALL BY NAME
SELECT
    'critical_path_activities' AS metric,
    COLUMNS('^(run_id|call_path_id|location_id)$'),
    least(path_ns, work_ns) AS value,
    FALSE AS is_extended,
    'critical_path_work' AS source
FROM critical_path_work
UNION ALL BY NAME
SELECT
    'non_critical_path_activities' AS metric,
    COLUMNS('^(run_id|call_path_id|location_id)$'),
    work_ns - path_ns AS value,
    FALSE AS is_extended,
    'critical_path_work' AS source
FROM critical_path_work
WHERE work_ns > path_ns
UNION ALL BY NAME
SELECT
    * EXCLUDE (is_forked),
    FALSE AS is_extended,
    'overheads' AS source
FROM own_classes
WHERE NOT is_forked
UNION ALL BY NAME
SELECT
    COLUMNS('^(run_id|metric|call_path_id|location_id)$'),
    sum(value)::BIGINT AS value,
    FALSE AS is_extended,
    'overheads' AS source
FROM classified
WHERE metric IS NOT NULL
GROUP BY ALL
UNION ALL BY NAME
SELECT *, FALSE AS is_extended, 'imbalance' AS source
FROM imbalances
WHERE metric IS NOT NULL
UNION ALL BY NAME
SELECT *, FALSE AS is_extended, 'absence' AS source
FROM absences
WHERE metric IS NOT NULL
UNION ALL BY NAME
SELECT
    COLUMNS('^(run_id|metric|call_path_id|location_id)$'),
    sum(value)::BIGINT AS value,
    coalesce(is_extended, FALSE) AS is_extended,
    'idle' AS source
FROM idle
GROUP BY ALL
