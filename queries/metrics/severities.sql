-- Metrics per call path and location. A metric includes its sub-metrics.
--
-- What has a value in nearly every cell is not stored twice: time and visits are in call_tree,
-- critical-path activities in critical_path_work, overheads in location_overheads and
-- call_path_overheads, imbalance in computational_imbalance, idle time in idle_times.
--
-- Grain:      one row per metric, call path, location and whether it is extended, if not zero
-- Inputs:     mpi_operations, messages, collective_counts, wait_states, finding_totals,
--             critical_path_severities, delay_severities, team_severities, file_severities,
--             rma_synchronization_counts, metrics
-- Needs rows: mpi_operations or messages or collective_counts or wait_states or finding_totals or
--             critical_path_severities or delay_severities or team_severities or
--             file_severities or rma_synchronization_counts
-- Output:     severities
-- Parameters: none
-- Source:     Scalasca pattern reference
-- Assumes:    nothing
WITH RECURSIVE
    ancestry AS (
        SELECT
            metric AS part,
            metric
        FROM metrics
        UNION ALL
        SELECT
            ancestry.part,
            metrics.parent_metric AS metric
        FROM ancestry
        INNER JOIN metrics USING (metric)
        WHERE metrics.parent_metric IS NOT NULL
    ),

    posted_sends AS (
        SELECT
            call_path_id,
            location_id,
            sum(bytes)::BIGINT AS bytes,
            count(*) FILTER (WHERE bytes > 0) AS message_count,
            count(*) FILTER (WHERE bytes = 0) AS empty_count
        FROM mpi_operations
        WHERE kind IN ('send', 'isend') AND call_path_id IS NOT NULL
        GROUP BY ALL
    ),

    completed_receives AS (
        SELECT
            receive_completion_call_path_id AS call_path_id,
            receiver_location_id AS location_id,
            sum(bytes)::BIGINT AS bytes,
            count(*) FILTER (WHERE bytes > 0) AS message_count,
            count(*) FILTER (WHERE bytes = 0) AS empty_count
        FROM messages
        WHERE receive_completion_call_path_id IS NOT NULL
        GROUP BY ALL
    ),

    waits AS (
        SELECT
            property,
            is_synchronization,
            is_extended,
            call_path_id,
            location_id,
            sum(wait_ns)::BIGINT AS wait_ns,
            count(*) AS wait_count
        FROM wait_states
        GROUP BY ALL
    ),

    -- The count metrics of each property: with data, with zero bytes.
    counted (property, is_synchronization, metric) AS (
        VALUES
        ('mpi_latesender', FALSE, 'mpi_cls_count'),
        ('mpi_latesender', TRUE, 'mpi_sls_count'),
        ('mpi_latesender_wo', FALSE, 'mpi_clswo_count'),
        ('mpi_latesender_wo', TRUE, 'mpi_slswo_count'),
        ('mpi_latereceiver', FALSE, 'mpi_clr_count'),
        ('mpi_latereceiver', TRUE, 'mpi_slr_count')
    ),

    lost AS (
        SELECT
            ancestry.metric,
            waits.call_path_id,
            waits.location_id,
            waits.is_extended,
            sum(waits.wait_ns)::BIGINT AS value
        FROM waits
        INNER JOIN ancestry ON waits.property = ancestry.part
        GROUP BY ALL
        UNION ALL
        SELECT
            counted.metric,
            waits.call_path_id,
            waits.location_id,
            waits.is_extended,
            sum(waits.wait_count)::BIGINT AS value
        FROM waits
        INNER JOIN ancestry ON waits.property = ancestry.part
        INNER JOIN counted
            ON
                ancestry.metric = counted.property
                AND waits.is_synchronization = counted.is_synchronization
        GROUP BY ALL
    ),

    -- What includes a finding is found by itself, so that it holds the finding already.
    found AS (
        SELECT
            property AS metric,
            call_path_id,
            location_id,
            TRUE AS is_extended,
            value
        FROM finding_totals
    ),

    counts_and_times AS (
        SELECT 'bytes_sent' AS metric, call_path_id, location_id, bytes AS value
        FROM posted_sends
        UNION ALL
        SELECT 'comms_send', call_path_id, location_id, message_count FROM posted_sends
        UNION ALL
        SELECT 'syncs_send', call_path_id, location_id, empty_count FROM posted_sends
        UNION ALL
        SELECT 'bytes_rcvd', call_path_id, location_id, bytes FROM completed_receives
        UNION ALL
        SELECT 'comms_recv', call_path_id, location_id, message_count FROM completed_receives
        UNION ALL
        SELECT 'syncs_recv', call_path_id, location_id, empty_count FROM completed_receives
        UNION ALL
        FROM collective_counts
        UNION ALL
        FROM critical_path_severities
        UNION ALL
        FROM delay_severities
        UNION ALL
        FROM team_severities
    ),

    valued AS (
        SELECT metric, call_path_id, location_id, FALSE AS is_extended, value
        FROM counts_and_times
        UNION ALL
        SELECT metric, call_path_id, location_id, TRUE, value
        FROM rma_synchronization_counts
        UNION ALL
        FROM lost
        UNION ALL
        FROM found
        UNION ALL
        FROM file_severities
    ),

    -- Rows are sorted by a small number for the name: in the same order, in half the time.
    places AS (
        SELECT
            metric,
            (row_number() OVER (ORDER BY metric))::UTINYINT AS place
        FROM metrics
    )

SELECT
    valued.metric,
    valued.call_path_id,
    valued.location_id,
    valued.is_extended,
    valued.value
FROM valued
LEFT JOIN places ON valued.metric = places.metric
WHERE valued.value <> 0
ORDER BY
    places.place,
    valued.call_path_id,
    valued.location_id,
    valued.is_extended,
    valued.metric
