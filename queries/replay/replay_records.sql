-- Records of threads, tasks and locks that end an activity, for running the trace again.
--
-- A call that acquired a lock, but takes part in no other dependency, has a record of its enter.
--
-- Grain:      one row per record
-- Inputs:     replay_edges, replay_meetings, replay_calls, visits, thread_events, task_fragments,
--             lock_operations, rma_operations
-- Needs rows: thread_events or lock_operations or rma_operations
-- Output:     replay_records
-- Parameters: none
-- Source:     the dependencies of replay_edges and replay_meetings
-- Assumes:    nothing
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
            AND visit_id NOT IN (SELECT visit_id FROM replay_calls)
    )

SELECT
    -1 - location_id::BIGINT * 4294967296 - sequence AS boundary_id,
    location_id,
    time_ns,
    kind,
    is_begin,
    visit_id,
    coalesce(enter_ns = time_ns, FALSE) AS is_entered_now
FROM records
UNION ALL
SELECT
    2 * visit_id AS boundary_id,
    location_id,
    enter_ns AS time_ns,
    'work' AS kind,
    FALSE AS is_begin,
    visit_id,
    TRUE AS is_entered_now
FROM asked
