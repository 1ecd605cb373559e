-- Records of call paths, and the time that the measurement took for them.
--
-- Every visit has an enter and a leave record. Other records count for the innermost visit. A
-- metric record with several counters counts once; a collective has a begin and an end record.
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per call path and CPU thread with visits of it
-- Inputs:     call_tree, call_paths, locations, run_perturbation, measurement_gaps,
--             mpi_operations, thread_events, lock_operations, rma_operations, io_operations,
--             parameter_values, samples, counter_values
-- Output:     perturbation
-- Parameters: none
-- Source:     none
-- Assumes:    recording takes the same time in all call paths
WITH
    others AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            count(*) + count(begin_ns) AS record_count
        FROM (
            FROM mpi_operations
            UNION ALL BY NAME
            FROM rma_operations
        )
        GROUP BY ALL
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            count(*) AS record_count
        FROM (
            SELECT COLUMNS('^(run_id|call_path_id|location_id)$') FROM lock_operations
            UNION ALL BY NAME
            SELECT COLUMNS('^(run_id|call_path_id|location_id)$') FROM io_operations
            UNION ALL BY NAME
            SELECT COLUMNS('^(run_id|call_path_id|location_id)$') FROM thread_events
            UNION ALL BY NAME
            SELECT COLUMNS('^(run_id|call_path_id|location_id)$') FROM parameter_values
            UNION ALL BY NAME
            SELECT COLUMNS('^(run_id|call_path_id|location_id)$') FROM samples
        )
        GROUP BY ALL
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            count(DISTINCT sequence) AS record_count
        FROM counter_values
        GROUP BY ALL
    ),

    recorded AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            sum(record_count)::BIGINT AS record_count
        FROM others
        GROUP BY ALL
    ),

    flushed AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id)$'),
            sum(end_ns - begin_ns)::BIGINT AS flush_ns
        FROM measurement_gaps
        WHERE kind = 'buffer_flush'
        GROUP BY ALL
    ),

    counted AS (
        SELECT
            COLUMNS('^(run_id|call_path_id|location_id|exclusive_ns)$'),
            0 AS joined, -- for a join by run alone
            2 * visit_count + coalesce(record_count, 0) AS record_count,
            coalesce(flush_ns, 0) AS flush_ns
        FROM (
            SELECT COLUMNS('^(run_id|call_path_id|location_id|exclusive_ns|visit_count)$')
            FROM call_tree
        )
        NATURAL LEFT JOIN (
            SELECT
                COLUMNS('^(run_id|call_path_id)$'),
                TRUE AS is_stub
            FROM call_paths
            WHERE kind = 'task_stub'
        )
        NATURAL INNER JOIN (
            SELECT COLUMNS('^(run_id|location_id)$') FROM locations
            WHERE kind NOT IN ('gpu', 'metric')
        )
        NATURAL LEFT JOIN recorded
        NATURAL LEFT JOIN flushed
        WHERE visit_count > 0 AND is_stub IS NULL
    )

SELECT
    COLUMNS('^(run_id|call_path_id|location_id)$'),
    record_count,
    record_count * event_cost_ns AS cost_ns,
    flush_ns,
    exclusive_ns,
    (record_count * event_cost_ns + flush_ns) / nullif(exclusive_ns, 0) AS perturbed_ratio
FROM counted
NATURAL INNER JOIN (
    SELECT
        COLUMNS('^(run_id|event_cost_ns)$'),
        0 AS joined
    FROM run_perturbation
)
