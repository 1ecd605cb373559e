-- Moments at which activities end: enters and leaves of calls that take part in a dependency, and
-- records of threads, tasks and locks.
--
-- Moments at the same time keep the order of the records: first those of calls entered before, from
-- the innermost call outwards; then those of calls entered now, in the order of entering. (A call
-- without time inside another one without time comes after it.)
--
-- Grain:      one row per moment
-- Inputs:     replay_edges, replay_meetings, visits, thread_events, task_fragments,
--             lock_operations, rma_operations
-- Output:     replay_boundaries
-- Parameters: none
-- Source:     the dependencies of replay_edges and replay_meetings
-- Assumes:    visits of a location are numbered in the order in which they are entered
WITH
    moments AS (
        SELECT boundary_id FROM replay_edges
        UNION ALL
        SELECT cause_boundary_id FROM replay_edges
        UNION ALL
        SELECT boundary_id FROM replay_meetings
        UNION ALL
        SELECT cause_boundary_id FROM replay_meetings
    ),

    calls AS (
        SELECT
            visits.visit_id,
            visits.location_id,
            visits.call_path_id,
            visits.enter_ns,
            visits.leave_ns
        FROM visits
        INNER JOIN (
            SELECT DISTINCT boundary_id // 2 AS visit_id
            FROM moments
            WHERE boundary_id >= 0
        ) AS taking_part USING (visit_id)
    ),

    -- Switching back to the thread's own code neither begins nor ends a task.
    fragment_ends AS (
        SELECT
            location_id,
            sequence,
            TRUE AS is_end
        FROM task_fragments
    ),

    fragment_begins AS (
        SELECT DISTINCT
            location_id,
            begin_ns AS time_ns,
            thread,
            number,
            TRUE AS is_begin
        FROM task_fragments
    ),

    records AS (
        SELECT
            events.location_id,
            events.sequence,
            events.time_ns,
            events.visit_id,
            visits.enter_ns,
            if(starts_with(events.kind::VARCHAR, 'task'), 'task', 'thread runtime') AS kind,
            events.kind IN ('team_begin', 'begin') AS is_begin
        FROM thread_events AS events
        LEFT JOIN visits ON events.visit_id = visits.visit_id
        LEFT JOIN fragment_ends
            ON
                events.location_id = fragment_ends.location_id
                AND events.sequence = fragment_ends.sequence
        LEFT JOIN fragment_begins
            ON
                events.location_id = fragment_begins.location_id
                AND events.time_ns = fragment_begins.time_ns
                AND events.thread = fragment_begins.thread
                AND events.number = fragment_begins.number
        WHERE
            CASE
                WHEN events.kind IN ('join', 'team_end') THEN FALSE
                WHEN events.kind = 'task_switch' AND fragment_begins.is_begin THEN TRUE
                WHEN events.kind IN ('task_switch', 'task_complete')
                    THEN coalesce(fragment_ends.is_end, FALSE)
                ELSE TRUE
            END
        UNION ALL
        SELECT
            location_id,
            sequence,
            time_ns,
            visit_id,
            enter_ns,
            'thread runtime' AS kind,
            FALSE AS is_begin
        FROM lock_operations
        UNION ALL
        SELECT
            location_id,
            sequence,
            time_ns,
            visit_id,
            enter_ns,
            'work' AS kind,
            FALSE AS is_begin
        FROM rma_operations
        WHERE
            -1 - location_id::BIGINT * 4294967296 - sequence
            IN (SELECT boundary_id FROM moments WHERE boundary_id < 0)
    ),

    asked AS (
        SELECT DISTINCT
            visit_id,
            location_id,
            enter_ns
        FROM lock_operations
        WHERE
            kind = 'acquire'
            AND visit_id IS NOT NULL
            AND visit_id NOT IN (SELECT visit_id FROM calls)
    ),

    placed AS (
        SELECT
            2 * visit_id AS boundary_id,
            location_id,
            enter_ns AS time_ns,
            'work' AS kind,
            FALSE AS is_begin,
            NULL AS call_path_id,
            TRUE AS is_entered_now,
            visit_id,
            0 AS place
        FROM (SELECT visit_id, location_id, enter_ns FROM calls UNION ALL FROM asked)
        UNION ALL
        SELECT
            2 * visit_id + 1 AS boundary_id,
            location_id,
            leave_ns AS time_ns,
            'call' AS kind,
            FALSE AS is_begin,
            call_path_id,
            enter_ns = leave_ns AS is_entered_now,
            visit_id,
            9223372036854775807 AS place
        FROM calls
        UNION ALL
        SELECT
            -1 - location_id::BIGINT * 4294967296 - sequence AS boundary_id,
            location_id,
            time_ns,
            kind,
            is_begin,
            NULL AS call_path_id,
            coalesce(enter_ns = time_ns, FALSE) AS is_entered_now,
            coalesce(visit_id, -1) AS visit_id,
            1 + sequence AS place
        FROM records
    )

SELECT
    row_number() OVER (
        ORDER BY
            location_id,
            time_ns,
            is_entered_now,
            if(is_entered_now, visit_id, -visit_id),
            place,
            boundary_id
    ) - 1 AS position,
    boundary_id,
    location_id,
    time_ns,
    kind,
    is_begin,
    call_path_id
FROM placed
