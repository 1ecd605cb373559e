-- Records of call paths, and the time that the measurement took for them.
--
-- Every visit has an enter and a leave record. Other records count for the innermost visit.
-- A metric record with several counters counts once.
--
-- Grain:      one row per call path and CPU thread with visits of it
-- Inputs:     call_tree, call_paths, locations, run_perturbation, flush_times, mpi_operations,
--             thread_events, lock_operations, rma_operations, io_operations, parameter_values,
--             samples, counter_values
-- Output:     perturbation
-- Parameters: none
-- Source:     none
-- Assumes:    recording takes the same time in all call paths
WITH
    -- A collective has a begin record and an end record.
    others AS (
        SELECT call_path_id, location_id, count(*) + count(begin_ns) AS record_count
        FROM mpi_operations
        GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(*) + count(begin_ns)
        FROM rma_operations
        GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(*)
        FROM lock_operations
        GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(*)
        FROM io_operations
        GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(*)
        FROM thread_events
        GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(*)
        FROM parameter_values
        GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(*) FROM samples GROUP BY call_path_id, location_id
        UNION ALL
        SELECT call_path_id, location_id, count(DISTINCT sequence)
        FROM counter_values
        GROUP BY call_path_id, location_id
    ),

    recorded AS (
        SELECT call_path_id, location_id, sum(record_count)::BIGINT AS record_count
        FROM others
        GROUP BY call_path_id, location_id
    ),

    counted AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            call_tree.exclusive_ns,
            2 * call_tree.visit_count + coalesce(recorded.record_count, 0) AS record_count,
            coalesce(flush_times.flush_ns, 0) AS flush_ns
        FROM call_tree
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN locations USING (location_id)
        LEFT JOIN recorded USING (call_path_id, location_id)
        LEFT JOIN flush_times USING (call_path_id, location_id)
        WHERE
            call_tree.visit_count > 0
            AND call_paths.kind <> 'task_stub'
            AND locations.kind NOT IN ('gpu', 'metric')
    )

SELECT
    counted.call_path_id,
    counted.location_id,
    counted.record_count,
    counted.record_count * costs.event_cost_ns AS cost_ns,
    counted.flush_ns,
    (counted.record_count * costs.event_cost_ns + counted.flush_ns)
    / nullif(counted.exclusive_ns, 0) AS perturbed_ratio
FROM counted
CROSS JOIN run_perturbation AS costs
ORDER BY counted.call_path_id, counted.location_id
