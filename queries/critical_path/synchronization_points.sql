-- Synchronization points of processes and threads: calls that waited, and calls that were waited
-- for.
--
--     late_sender     the receive that waited, and the send it waited for
--     late_receiver   the send that waited, and the posting of the receive it waited for
--     barrier         all members
--     n_to_n          all members if all were inside at once, else the last sender and the members
--                     that waited for it
--     one_to_n        the root, and the receivers that waited for it
--     n_to_one        the root, if it waited, and the last sender
--     init, finalize  all processes
--     fork            entry of a thread into a parallel region that another thread forked
--     team_barrier    all members of a team
--     device          call of a thread that waited for a kernel of an accelerator
--     launch          kernel that waited for no other kernel of its stream
--
-- A call that was waited for has a wait of 0. Messages without a wait, scans, and extended wait
-- states (not in Scalasca) except waits for kernels are left out. A thread that runs tasks inside a
-- barrier synchronizes with its team after the last task.
--
-- Grain:      one row per synchronizing call and its message or collective
-- Inputs:     late_sender, late_receiver, messages, synchronized_members, collective_members,
--             framing_calls, parallel_visits, team_barriers, task_calls, device_points
-- Needs rows: late_sender or late_receiver or synchronized_members or framing_calls or
--             parallel_visits or team_barriers or device_points
-- Output:     synchronization_points
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": synchronization points
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
WITH
    late_messages AS (
        SELECT
            if(waits.property = 'mpi_latereceiver', 'late_receiver', 'late_sender') AS kind,
            waits.call_path_id,
            waits.wait_ns,
            messages.*
        FROM (FROM late_sender UNION ALL FROM late_receiver) AS waits
        INNER JOIN messages USING (message_id)
        WHERE NOT waits.is_extended
    ),

    waits_for_messages AS (
        SELECT
            kind,
            receiver_location_id AS location_id,
            receive_completion_visit_id AS visit_id,
            call_path_id,
            receive_completion_enter_ns AS enter_ns,
            receive_completion_leave_ns AS leave_ns,
            wait_ns,
            sender_location_id AS cause_location_id,
            send_post_visit_id AS cause_visit_id,
            send_post_enter_ns AS cause_enter_ns,
            message_id,
            send_post_leave_ns AS partner_leave_ns
        FROM late_messages
        WHERE kind = 'late_sender'
        UNION ALL
        SELECT
            kind,
            sender_location_id,
            send_completion_visit_id,
            call_path_id,
            send_completion_enter_ns,
            send_completion_leave_ns,
            wait_ns,
            receiver_location_id,
            receive_post_visit_id,
            receive_post_enter_ns,
            message_id,
            receive_post_leave_ns
        FROM late_messages
        WHERE kind = 'late_receiver'
    ),

    awaited_for_messages AS (
        SELECT
            kind,
            sender_location_id AS location_id,
            send_post_visit_id AS visit_id,
            send_post_call_path_id AS call_path_id,
            send_post_enter_ns AS enter_ns,
            send_post_leave_ns AS leave_ns,
            message_id,
            receive_completion_leave_ns AS partner_leave_ns
        FROM late_messages
        WHERE kind = 'late_sender'
        UNION ALL
        SELECT
            kind,
            receiver_location_id,
            receive_post_visit_id,
            receive_post_call_path_id,
            receive_post_enter_ns,
            receive_post_leave_ns,
            message_id,
            send_completion_leave_ns
        FROM late_messages
        WHERE kind = 'late_receiver'
    ),

    meetings AS (
        SELECT
            family AS kind,
            collective_id,
            location_id,
            wait_ns,
            last_location_id
        FROM synchronized_members
        WHERE
            NOT is_nonblocking
            AND NOT is_extended
            AND (
                family IN ('barrier', 'n_to_n')
                OR (family IN ('one_to_n', 'n_to_one') AND wait_ns > 0)
            )
    ),

    meetings_with_awaited AS (
        SELECT
            kind,
            collective_id,
            location_id,
            wait_ns,
            if(wait_ns > 0, last_location_id, NULL) AS last_location_id
        FROM meetings
        UNION ALL
        SELECT DISTINCT
            kind,
            collective_id,
            last_location_id,
            0,
            NULL::INTEGER
        FROM meetings
        WHERE kind IN ('one_to_n', 'n_to_one')
    ),

    framing AS (
        SELECT
            * EXCLUDE (wait_ns),
            if(is_finalize, wait_ns, 0) AS wait_ns
        FROM framing_calls
    ),

    forks AS (
        SELECT
            workers.location_id,
            workers.visit_id,
            workers.call_path_id,
            workers.fork_ns,
            workers.leave_ns,
            masters.location_id AS cause_location_id,
            masters.visit_id AS cause_visit_id
        FROM parallel_visits AS workers
        INNER JOIN parallel_visits AS masters
            ON
                workers.thread_team_id = masters.thread_team_id
                AND workers.master_location_id = masters.location_id
        WHERE workers.location_id <> workers.master_location_id
    ),

    last_tasks AS (
        SELECT
            scheduling_visit_id AS visit_id,
            max(leave_ns) AS leave_ns
        FROM task_calls
        GROUP BY scheduling_visit_id
    ),

    points AS (
        SELECT
            *,
            NULL::BIGINT AS collective_id
        FROM waits_for_messages
        UNION ALL BY NAME
        SELECT
            *,
            0 AS wait_ns
        FROM awaited_for_messages
        UNION ALL BY NAME
        SELECT
            meetings_with_awaited.kind,
            members.location_id,
            members.visit_id,
            members.call_path_id,
            members.enter_ns,
            members.leave_ns,
            meetings_with_awaited.wait_ns,
            last_members.location_id AS cause_location_id,
            last_members.visit_id AS cause_visit_id,
            last_members.enter_ns AS cause_enter_ns,
            members.collective_id
        FROM meetings_with_awaited
        INNER JOIN collective_members AS members USING (collective_id, location_id)
        LEFT JOIN collective_members AS last_members
            ON
                meetings_with_awaited.collective_id = last_members.collective_id
                AND meetings_with_awaited.last_location_id = last_members.location_id
        UNION ALL BY NAME
        SELECT
            if(is_finalize, 'finalize', 'init') AS kind,
            location_id,
            visit_id,
            call_path_id,
            enter_ns,
            leave_ns,
            wait_ns,
            if(wait_ns > 0, last_location_id, NULL) AS cause_location_id,
            if(wait_ns > 0, last_visit_id, NULL) AS cause_visit_id,
            if(wait_ns > 0, last_enter_ns, NULL) AS cause_enter_ns
        FROM framing
        UNION ALL BY NAME
        SELECT
            'fork' AS kind,
            location_id,
            visit_id,
            call_path_id,
            fork_ns AS enter_ns,
            leave_ns,
            0 AS wait_ns,
            cause_location_id,
            cause_visit_id,
            fork_ns AS cause_enter_ns
        FROM forks
        UNION ALL BY NAME
        SELECT
            'team_barrier' AS kind,
            team_barriers.location_id,
            visit_id,
            team_barriers.call_path_id,
            coalesce(last_tasks.leave_ns, team_barriers.enter_ns) AS enter_ns,
            team_barriers.leave_ns,
            team_barriers.wait_ns,
            if(wait_ns > 0, team_barriers.last_location_id, NULL) AS cause_location_id,
            if(wait_ns > 0, team_barriers.last_visit_id, NULL) AS cause_visit_id,
            if(wait_ns > 0, team_barriers.last_enter_ns, NULL) AS cause_enter_ns
        FROM team_barriers
        LEFT JOIN last_tasks USING (visit_id)
        UNION ALL BY NAME
        FROM device_points
    )

SELECT
    kind,
    location_id,
    visit_id,
    call_path_id,
    enter_ns,
    leave_ns,
    wait_ns,
    cause_location_id,
    cause_visit_id,
    cause_enter_ns,
    message_id,
    collective_id,
    partner_leave_ns
FROM points
