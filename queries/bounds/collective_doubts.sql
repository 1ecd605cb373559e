-- Calls whose waiting in collectives is not sure, because members or their records are missing.
--
-- Of an instance that is not whole any member may have waited for its whole time. If somebody's
-- record is missing without its records ending there, what follows on the communicator may be
-- numbered wrongly: all its instances are unsure, and so are calls of the operation in which
-- nothing is recorded. Waiting for a non-blocking collective also depends on the messages that
-- its call waited for. Where a process has no MPI_Finalize, or no MPI_Init, and of some process
-- records are missing, or it was switched off, nobody knows who was last, or first.
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     collectives, collective_members, collective_metrics, communicator_members, locations,
--             mpi_operations, visits, mpi_calls, framing_calls, message_doubts,
--             message_clock_doubts, disturbed_processes, trace_quality
-- Needs rows: trace_quality
-- Output:     collective_doubts
-- Parameters: none
-- Source:     the rules of collective_waits and of the like, for a partner at any time
-- Assumes:    of a location that ends early only the end is missing
WITH
    short_groups AS (
        SELECT location_group_id
        FROM disturbed_processes
        WHERE reason = 'missing_records'
    ),

    broken AS (
        FROM collectives
        WHERE NOT is_complete
    ),

    present AS (
        SELECT
            collective_members.collective_id,
            locations.location_group_id
        FROM collective_members
        SEMI JOIN broken USING (collective_id)
        INNER JOIN locations USING (location_id)
    ),

    missing_members AS (
        SELECT broken.communicator_id, communicator_members.location_group_id
        FROM broken
        INNER JOIN communicator_members USING (communicator_id)
        ANTI JOIN present
            ON
                broken.collective_id = present.collective_id
                AND communicator_members.location_group_id = present.location_group_id
    ),

    misnumbered AS (
        SELECT communicator_id
        FROM missing_members
        WHERE location_group_id NOT IN (FROM short_groups)
        UNION
        SELECT communicator_id FROM broken WHERE member_count >= expected_count
        -- Members that the definition does not know leave no gap.
        UNION
        SELECT communicator_id
        FROM broken
        WHERE communicator_id NOT IN (SELECT communicator_id FROM missing_members)
    ),

    cut_members AS (
        SELECT
            collective_members.visit_id,
            broken.operation::VARCHAR AS operation,
            broken.is_nonblocking,
            'missing_records' AS reason
        FROM broken
        ANTI JOIN misnumbered USING (communicator_id)
        INNER JOIN collective_members USING (collective_id)
    ),

    misnumbered_members AS (
        SELECT
            visit_id,
            operation::VARCHAR AS operation,
            kind = 'nonblocking_collective' AS is_nonblocking,
            'incomplete_collective' AS reason
        FROM mpi_operations
        WHERE
            kind IN ('collective', 'nonblocking_collective')
            AND (communicator_id IN (FROM misnumbered) OR communicator_id IS NULL)
            AND EXISTS (FROM trace_quality)
    ),

    silent_calls AS (
        SELECT
            visits.visit_id,
            regexp_extract(mpi_calls.call, '^mpi_(neighbor_)?(.*)$', 2) AS operation,
            FALSE AS is_nonblocking,
            'incomplete_collective' AS reason
        FROM visits
        SEMI JOIN (
            SELECT locations.location_id
            FROM missing_members
            INNER JOIN locations USING (location_group_id)
            SEMI JOIN misnumbered USING (communicator_id)
        ) AS silent_locations
            USING (location_id)
        INNER JOIN mpi_calls USING (region_id)
        ANTI JOIN (SELECT visit_id FROM mpi_operations WHERE kind = 'collective') AS told
            ON visits.visit_id = told.visit_id
    ),

    -- What a call waited for messages was not waiting for its collective.
    shared_calls AS (
        SELECT
            records.visit_id,
            records.operation::VARCHAR AS operation,
            TRUE AS is_nonblocking,
            doubts.reason::VARCHAR AS reason
        FROM mpi_operations AS records
        INNER JOIN (
            FROM message_doubts
            UNION ALL
            FROM message_clock_doubts
        ) AS doubts
            USING (visit_id)
        WHERE records.kind = 'nonblocking_collective'
    ),

    calls AS (
        SELECT * EXCLUDE (reason), min(reason) AS reason
        FROM (
            FROM cut_members
            UNION ALL
            FROM misnumbered_members
            UNION ALL
            FROM silent_calls
            UNION ALL
            FROM shared_calls
        )
        WHERE visit_id IS NOT NULL
        GROUP BY ALL
    ),

    described AS (
        SELECT
            calls.reason,
            visits.location_id,
            calls.visit_id,
            visits.call_path_id,
            visits.leave_ns - visits.enter_ns AS duration_ns,
            calls.is_nonblocking,
            calls.is_nonblocking
            OR contains(mpi_calls.call, '_neighbor_')
            OR calls.operation IN ('alltoallv', 'alltoallw') AS is_beyond_reference,
            contains(mpi_calls.call, '_neighbor_') AS is_neighbourhood,
            metrics.wait_metric,
            metrics.completion_metric
        FROM calls
        INNER JOIN visits USING (visit_id)
        INNER JOIN mpi_calls USING (region_id)
        INNER JOIN collective_metrics AS metrics USING (operation)
        WHERE NOT mpi_calls.is_test
    ),

    -- An open MPI_Init says nothing of who left first.
    sure_frames AS (
        SELECT framing_calls.is_finalize
        FROM framing_calls
        INNER JOIN visits USING (visit_id)
        GROUP BY framing_calls.is_finalize
        HAVING bool_and(visits.is_closed OR framing_calls.is_finalize)
    ),

    -- Whatever a process lacks, its call may be among that.
    missing_frames AS (
        SELECT
            losses.reason,
            mpi_calls.call = 'mpi_finalize' AS is_finalize,
            visits.location_id,
            visits.visit_id,
            visits.call_path_id,
            visits.leave_ns - visits.enter_ns AS duration_ns
        FROM visits
        INNER JOIN mpi_calls USING (region_id)
        CROSS JOIN (SELECT max(reason::VARCHAR) AS reason FROM disturbed_processes) AS losses
        WHERE
            mpi_calls.is_setup
            AND losses.reason IS NOT NULL
            AND (mpi_calls.call = 'mpi_finalize') NOT IN (FROM sure_frames)
    ),

    doubts AS (
        SELECT
            if(is_neighbourhood, 'mpi_wait_nxn', wait_metric) AS metric,
            is_beyond_reference,
            location_id,
            visit_id,
            call_path_id,
            reason,
            duration_ns
        FROM described
        UNION ALL
        SELECT
            completion_metric,
            is_beyond_reference,
            location_id,
            visit_id,
            call_path_id,
            reason,
            duration_ns
        FROM described
        WHERE completion_metric IS NOT NULL AND NOT is_nonblocking AND NOT is_neighbourhood
        UNION ALL
        SELECT
            if(is_finalize, 'mpi_finalize_wait', 'mpi_init_completion'),
            FALSE,
            location_id,
            visit_id,
            call_path_id,
            reason,
            duration_ns
        FROM missing_frames
    )

SELECT
    metric,
    is_beyond_reference,
    location_id,
    visit_id,
    call_path_id,
    min(reason) AS reason,
    0::BIGINT AS least_ns,
    max(duration_ns) AS most_ns
FROM doubts
-- Where nothing is missing or doubtful in the trace, nothing is here.
WHERE EXISTS (FROM trace_quality)
GROUP BY ALL
ORDER BY metric, visit_id, reason, is_beyond_reference
