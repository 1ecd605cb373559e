-- All metrics per call path and thread in common units: seconds, bytes, counts.
--
-- Metrics that are nonzero almost everywhere are not stored as severities. They are computed here
-- from other tables: time, visits, critical-path activities, overheads, imbalance and idle time.
-- Extended wait states (not in Scalasca) are in separate rows, so that totals can be compared. Idle
-- threads, time outside visits and absence have an empty call path.
--
-- Grain:      one row per metric, call path and location with a value other than zero, separately
--             for extended wait states
-- Inputs:     severities, call_tree, critical_path_work, fork_join_times, region_classes,
--             overhead_classes, location_overheads, computational_imbalance, imbalance_scopes,
--             idle_times, wait_states, metrics, call_paths, locations
-- Output:     export severities
-- Parameters: none
-- Assumes:    locations that do not take part in a computation have a row for it, so the number of
--             call paths times locations must be moderate; nanoseconds below 2**53 keep every digit
--             as seconds
WITH
    critical_activities AS (
        SELECT
            'critical_path_activities' AS metric,
            call_path_id,
            location_id,
            least(path_ns, work_ns) AS value
        FROM critical_path_work
        UNION ALL
        SELECT
            'non_critical_path_activities', call_path_id, location_id, work_ns - path_ns
        FROM critical_path_work
        WHERE work_ns > path_ns
    ),

    -- Exclusive time of call paths; fork and join of a parallel region belong to a class of their
    -- own.
    own_times AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            call_tree.visit_count,
            call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0) AS time_ns
        FROM call_tree
        LEFT JOIN fork_join_times USING (call_path_id, location_id)
    ),

    -- Tasks are counted where they run, not where they are scheduled.
    classified AS (
        SELECT
            own_times.call_path_id,
            own_times.location_id,
            region_classes.overhead_id,
            own_times.time_ns AS value
        FROM own_times
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN region_classes USING (region_id)
        WHERE call_paths.kind <> 'task_stub'
        UNION ALL
        SELECT
            fork_join_times.call_path_id,
            fork_join_times.location_id,
            overhead_classes.overhead_id,
            fork_join_times.fork_join_ns
        FROM fork_join_times
        INNER JOIN overhead_classes ON overhead_classes.overhead_subclass = 'fork/join'
        UNION ALL
        SELECT NULL, location_id, overhead_id, location_overheads.time_ns
        FROM location_overheads
        INNER JOIN overhead_classes USING (overhead_id)
        WHERE overhead_classes.overhead_subclass IN ('outside visits', 'idle threads')
    ),

    overheads_of_classes AS (
        SELECT
            overhead_classes.metric,
            metrics.parent_metric,
            classified.call_path_id,
            classified.location_id,
            classified.value
        FROM classified
        INNER JOIN overhead_classes USING (overhead_id)
        INNER JOIN metrics USING (metric)
    ),

    overheads AS (
        SELECT metric, call_path_id, location_id, value FROM overheads_of_classes
        UNION ALL
        SELECT parent_metric, call_path_id, location_id, value FROM overheads_of_classes
        WHERE parent_metric IS NOT NULL
    ),

    -- Deviation from the mean of every location that takes part, or could.
    participants AS (
        SELECT call_path_id, location_id, time_ns FROM own_times
        WHERE visit_count > 0
    ),

    deviations AS (
        SELECT
            imbalance.call_path_id,
            participants.location_id,
            participants.time_ns - imbalance.mean_ns AS deviation_ns,
            TRUE AS is_participant,
            imbalance.visitor_count
        FROM computational_imbalance AS imbalance
        INNER JOIN participants USING (call_path_id)
        UNION ALL
        SELECT
            imbalance.call_path_id,
            imbalance_scopes.location_id,
            -imbalance.mean_ns AS deviation_ns,
            FALSE AS is_participant,
            imbalance.visitor_count
        FROM computational_imbalance AS imbalance
        INNER JOIN imbalance_scopes USING (scope)
        ANTI JOIN participants
            ON
                imbalance.call_path_id = participants.call_path_id
                AND imbalance_scopes.location_id = participants.location_id
    ),

    imbalances AS (
        SELECT
            unnest([
                'imbalance',
                if(deviation_ns > 0, 'imbalance_above', 'imbalance_below'),
                if(deviation_ns > 0 AND visitor_count = 1, 'imbalance_above_single', NULL),
                if(is_participant, NULL, 'imbalance_below_bypass'),
                if(is_participant OR visitor_count > 1, NULL, 'imbalance_below_singularity')
            ]) AS metric,
            call_path_id,
            location_id,
            abs(deviation_ns) AS value
        FROM deviations
        WHERE deviation_ns <> 0
    ),

    idle_parts AS (
        SELECT
            'idle_waiting' AS metric,
            call_path_id,
            location_id,
            sum(wait_ns)::BIGINT AS value,
            is_beyond_reference
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY ALL
        UNION ALL
        SELECT 'idle_thread', NULL, location_id, idle_thread_ns, FALSE FROM idle_times
        UNION ALL
        SELECT 'idle_absent', NULL, location_id, absent_ns, FALSE FROM idle_times
    ),

    idle_sums AS (
        SELECT
            'idle' AS metric,
            call_path_id,
            location_id,
            sum(value)::BIGINT AS value,
            is_beyond_reference
        FROM idle_parts
        GROUP BY ALL
    ),

    valued AS (
        SELECT metric, call_path_id, location_id, value, is_beyond_reference FROM severities
        UNION ALL
        SELECT 'time', call_path_id, location_id, exclusive_ns, FALSE FROM call_tree
        UNION ALL
        SELECT 'visits', call_path_id, location_id, visit_count, FALSE FROM call_tree
        UNION ALL
        SELECT *, FALSE FROM critical_activities
        UNION ALL
        SELECT metric, call_path_id, location_id, sum(value)::BIGINT, FALSE
        FROM overheads
        GROUP BY metric, call_path_id, location_id
        UNION ALL
        SELECT *, FALSE FROM imbalances
        WHERE metric IS NOT NULL
        UNION ALL
        FROM idle_parts
        UNION ALL
        FROM idle_sums
    )

SELECT
    valued.metric,
    coalesce(call_paths.path, '') AS call_path,
    locations.rank,
    locations.thread,
    if(metrics.unit = 'ns', valued.value / 1e9, valued.value::DOUBLE) AS value,
    valued.is_beyond_reference AS beyond_reference
FROM valued
INNER JOIN metrics ON valued.metric = metrics.metric
LEFT JOIN call_paths ON valued.call_path_id = call_paths.call_path_id
INNER JOIN locations ON valued.location_id = locations.location_id
WHERE valued.value <> 0
ORDER BY valued.metric, valued.call_path_id, valued.location_id, valued.is_beyond_reference
