-- Calls whose waiting in collective access to files is not sure.
--
--     a call in which nothing is recorded, an      all accesses of the process, and those through
--     operation without end, an access without     handles that it shares
--     a process
--     an access that only lacks processes that     this access
--     end early
--     clocks that contradict each other            the wait, with each begin at either end of what
--                                                  clock_offsets allows
--     a call that also waited for messages, or     this call
--     for collectives, of which that is unsure
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     collective_file_calls, file_operations, disturbed_processes, clock_offsets,
--             message_doubts, message_clock_doubts, collective_doubts, collective_clock_doubts,
--             io_handles, communicators, communicator_members, locations, visits, mpi_calls
-- Needs rows: file_operations
-- Output:     file_doubts
-- Parameters: none
-- Source:     the rules of collective_io_waits, for a partner at any time
-- Assumes:    as clock_offsets; of two processes not the same number of accesses is missing
WITH
    ending AS (SELECT location_group_id FROM disturbed_processes WHERE is_ending),

    members AS (
        SELECT DISTINCT
            io_handles.io_handle_id,
            communicator_members.location_group_id,
            communicator_members.location_group_id IN (FROM ending) AS is_ending
        FROM io_handles
        INNER JOIN communicators USING (communicator_id)
        INNER JOIN communicator_members USING (communicator_id)
        WHERE communicators.kind = 'group' AND communicator_members.location_group_id IS NOT NULL
    ),

    sizes AS (
        SELECT
            io_handle_id,
            count(*) AS member_count,
            count(*) FILTER (WHERE NOT is_ending) AS lasting_count
        FROM members
        GROUP BY io_handle_id
    ),

    collective_calls AS (
        SELECT
            visits.visit_id,
            visits.location_id,
            visits.call_path_id,
            visits.enter_ns,
            visits.leave_ns,
            visits.is_closed,
            locations.location_group_id,
            starts_with(mpi_calls.call, 'mpi_file_i') AS is_nonblocking
        FROM visits
        INNER JOIN mpi_calls USING (region_id)
        INNER JOIN locations USING (location_id)
        WHERE mpi_calls.is_collective_file_call
    ),

    silent_calls AS (
        SELECT *
        FROM collective_calls
        ANTI JOIN (
            SELECT unnest([visit_id, end_visit_id]) AS visit_id
            FROM file_operations
        ) AS told
            USING (visit_id)
    ),

    -- One row each, however many calls: each is a reason for all handles of the process.
    silent_processes AS (
        SELECT DISTINCT location_group_id
        FROM silent_calls
        WHERE is_closed OR location_group_id NOT IN (FROM ending)
    ),

    accesses AS (
        SELECT collective_file_calls.*, locations.location_group_id
        FROM collective_file_calls
        INNER JOIN locations USING (location_id)
    ),

    broken_accesses AS (
        SELECT
            accesses.io_handle_id,
            accesses.ordinal,
            count(DISTINCT members.location_group_id) AS member_count,
            count(DISTINCT if(members.is_ending, NULL, members.location_group_id))
                AS lasting_count
        FROM accesses
        LEFT JOIN members USING (io_handle_id, location_group_id)
        WHERE NOT accesses.is_complete
        GROUP BY accesses.io_handle_id, accesses.ordinal
    ),

    lossy_handles AS (
        SELECT broken_accesses.io_handle_id, 'incomplete_records' AS reason
        FROM broken_accesses
        INNER JOIN sizes USING (io_handle_id)
        WHERE
            broken_accesses.member_count = sizes.member_count
            OR broken_accesses.lasting_count < sizes.lasting_count
        UNION ALL
        SELECT io_handle_id, 'incomplete_records'
        FROM accesses
        WHERE visit_id IS NULL AND location_group_id NOT IN (FROM ending)
        UNION ALL
        SELECT members.io_handle_id, 'incomplete_records'
        FROM silent_processes
        INNER JOIN members USING (location_group_id)
        UNION ALL
        SELECT members.io_handle_id, disturbed_processes.reason::VARCHAR
        FROM disturbed_processes
        INNER JOIN members USING (location_group_id)
        WHERE disturbed_processes.since_ns IS NULL OR members.location_group_id NOT IN (FROM ending)
    ),

    doubtful_handles AS (
        SELECT io_handle_id, min(reason) AS reason
        FROM lossy_handles
        GROUP BY io_handle_id
    ),

    doubtful_processes AS (
        SELECT members.location_group_id, min(doubtful_handles.reason) AS reason
        FROM doubtful_handles
        INNER JOIN members USING (io_handle_id)
        GROUP BY members.location_group_id
    ),

    -- Calls that may have ended an access of which the end is missing.
    completing_calls AS (
        SELECT visits.*, locations.location_group_id
        FROM visits
        INNER JOIN mpi_calls USING (region_id)
        INNER JOIN locations USING (location_id)
        WHERE
            mpi_calls.call IN ('mpi_wait', 'mpi_waitany', 'mpi_waitall', 'mpi_waitsome')
            AND locations.location_group_id IN (
                SELECT location_group_id FROM collective_calls WHERE is_nonblocking
            )
    ),

    unsure_visits AS (
        SELECT coalesce(accesses.visit_id, accesses.start_visit_id) AS visit_id, lossy.reason
        FROM accesses
        INNER JOIN doubtful_handles AS lossy USING (io_handle_id)
        UNION ALL
        SELECT coalesce(accesses.visit_id, accesses.start_visit_id), 'missing_records'
        FROM accesses
        SEMI JOIN broken_accesses USING (io_handle_id, ordinal)
        ANTI JOIN doubtful_handles USING (io_handle_id)
        UNION ALL
        SELECT silent_calls.visit_id, 'incomplete_records'
        FROM silent_calls
        UNION ALL
        SELECT completing_calls.visit_id, doubtful_processes.reason
        FROM completing_calls
        INNER JOIN doubtful_processes USING (location_group_id)
        UNION ALL
        SELECT accesses.visit_id, doubts.reason::VARCHAR
        FROM accesses
        INNER JOIN (
            FROM message_doubts
            UNION ALL
            FROM message_clock_doubts
            UNION ALL
            FROM collective_doubts
            UNION ALL
            FROM collective_clock_doubts
        ) AS doubts
            USING (visit_id)
    ),

    shifted AS (
        SELECT
            accesses.* EXCLUDE (is_doubtful),
            offsets.is_doubtful,
            offsets.least_ns,
            offsets.most_ns
        FROM accesses
        INNER JOIN clock_offsets AS offsets USING (location_id)
        WHERE accesses.is_complete
    ),

    unsure_accesses AS (
        SELECT io_handle_id, ordinal
        FROM shifted
        WHERE is_doubtful
        GROUP BY ALL
    ),

    -- The last two, for a process does not wait for itself.
    latest AS (
        SELECT
            io_handle_id,
            ordinal,
            max({'at_ns': begin_ns + least_ns, 'location_id': location_id}, 2) AS least_begins,
            max({'at_ns': begin_ns + most_ns, 'location_id': location_id}, 2) AS most_begins
        FROM shifted
        SEMI JOIN unsure_accesses USING (io_handle_id, ordinal)
        GROUP BY io_handle_id, ordinal
    ),

    clock_limits AS (
        SELECT
            shifted.visit_id,
            shifted.leave_ns - greatest(shifted.begin_ns, shifted.enter_ns) AS duration_ns,
            -- What was begun before may have been waited for otherwise meanwhile.
            if(
                shifted.visit_id = shifted.start_visit_id,
                if(
                    latest.least_begins[1].location_id = shifted.location_id,
                    latest.least_begins[2].at_ns, latest.least_begins[1].at_ns
                ) - shifted.most_ns - shifted.begin_ns,
                0
            ) AS least_ns,
            if(
                latest.most_begins[1].location_id = shifted.location_id,
                latest.most_begins[2].at_ns, latest.most_begins[1].at_ns
            ) - shifted.least_ns - greatest(shifted.begin_ns, shifted.enter_ns) AS most_ns
        FROM shifted
        INNER JOIN latest USING (io_handle_id, ordinal)
        WHERE shifted.visit_id IS NOT NULL
    ),

    doubts AS (
        SELECT
            unsure_visits.visit_id,
            unsure_visits.reason,
            0 AS least_ns,
            visits.leave_ns - visits.enter_ns AS most_ns
        FROM unsure_visits
        INNER JOIN visits USING (visit_id)
        UNION ALL
        SELECT
            visit_id,
            'clock_violation',
            least(greatest(least_ns, 0), duration_ns),
            least(greatest(most_ns, 0), duration_ns)
        FROM clock_limits
    )

SELECT
    'mpi_io_collective_wait' AS metric,
    TRUE AS is_beyond_reference,
    visits.location_id,
    visits.visit_id,
    visits.call_path_id,
    doubts.reason,
    min(doubts.least_ns)::BIGINT AS least_ns,
    max(doubts.most_ns)::BIGINT AS most_ns
FROM doubts
INNER JOIN visits USING (visit_id)
INNER JOIN mpi_calls USING (region_id)
WHERE NOT mpi_calls.is_test AND EXISTS (FROM file_operations)
GROUP BY ALL
ORDER BY metric, visits.visit_id, doubts.reason, is_beyond_reference
