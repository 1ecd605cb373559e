-- Synchronization points in order, with the part of each call that belongs to completion.
--
-- Delays are compared over intervals that start at such a point. Of its call, only the completion
-- counts, the time after the wait:
--
--     late_sender, late_receiver  as much as the call ended after the one on the other side
--     barrier, n_to_n, init       completion time (see the metrics)
--     one_to_n                    as much as the call ended after the first receiver's
--     n_to_one                    the time after the wait
--     fork                        as much as the thread began after the first of its team
--
-- A barrier of a team in which a thread ran tasks starts at the end of the last task. A fork also
-- starts an interval on the thread that forked. The other threads are idle from each `join` to the
-- next fork, or to the `end` of the location.
--
-- Scalasca differs in three points, for comparisons only: it takes the completion of a Late
-- Receiver's send with the opposite sign, counts waiting in barriers from the enter even if the
-- thread ran tasks there, and takes POSIX threads for idle OpenMP threads.
--
-- Grain:      one row per synchronization point, join of a team, and end of a thread that forked
-- Inputs:     synchronization_points, parallel_visits, team_barriers, collectives,
--             collective_members, collective_completions, init_completion, visits, locations,
--             thread_events
-- Needs rows: synchronization_points or thread_events
-- Output:     delay_points
-- Parameters: $is_like_scalasca  differ as Scalasca does (BOOLEAN, default false)
-- Source:     Böhme et al. 2016, "Identifying the root causes of wait states in large-scale
--             parallel applications"; Scalasca, "delay costs"
-- Assumes:    visits of a location are numbered in the order in which they are entered
WITH
    team_sizes AS (
        SELECT
            thread_team_id,
            count(*) AS thread_count,
            min(enter_ns) AS first_enter_ns
        FROM parallel_visits
        GROUP BY thread_team_id
    ),

    forks AS (
        SELECT
            parallel_visits.*,
            team_sizes.first_enter_ns,
            if(
                parallel_visits.location_id = parallel_visits.master_location_id,
                team_sizes.thread_count - 1,
                0
            ) AS idle_count
        FROM parallel_visits
        INNER JOIN team_sizes USING (thread_team_id)
    ),

    receivers AS (
        SELECT
            waiters.collective_id,
            min(members.end_ns) AS first_end_ns
        FROM (
            SELECT DISTINCT collective_id, cause_location_id
            FROM synchronization_points
            WHERE kind = 'one_to_n' AND cause_location_id IS NOT NULL
        ) AS waiters
        INNER JOIN collective_members AS members USING (collective_id)
        WHERE members.bytes_received > 0 AND members.location_id <> waiters.cause_location_id
        GROUP BY waiters.collective_id
    ),

    completions AS (
        SELECT
            visit_id,
            sum(wait_ns)::BIGINT AS completion_ns
        FROM (
            SELECT visit_id, wait_ns FROM collective_completions
            UNION ALL
            SELECT visit_id, wait_ns FROM init_completion
        ) AS completed
        GROUP BY visit_id
    ),

    -- Collectives of which all members are points: each of these names all others.
    complete_meetings AS (
        SELECT points.collective_id
        FROM synchronization_points AS points
        INNER JOIN collectives USING (collective_id)
        WHERE points.kind IN ('barrier', 'n_to_n')
        GROUP BY points.collective_id, points.kind
        HAVING points.kind = 'barrier' OR count(*) = any_value(collectives.member_count)
    ),

    plain AS (
        SELECT
            points.kind,
            points.location_id,
            points.visit_id,
            points.call_path_id,
            points.enter_ns AS boundary_ns,
            points.leave_ns,
            CASE
                WHEN points.kind = 'init' THEN 0
                WHEN points.kind = 'team_barrier' AND $is_like_scalasca::BOOLEAN
                    THEN coalesce(points.cause_enter_ns - team_barriers.enter_ns, 0)
                ELSE points.wait_ns
            END AS wait_ns,
            if(points.kind = 'finalize', NULL, points.cause_location_id) AS cause_location_id,
            points.cause_visit_id,
            points.message_id,
            points.collective_id,
            CASE
                WHEN points.kind IN ('init', 'finalize') THEN -1
                WHEN points.collective_id IN (SELECT collective_id FROM complete_meetings)
                    THEN collectives.communicator_id
            END AS group_id,
            points.leave_ns - points.enter_ns AS duration_ns,
            CASE
                WHEN points.kind = 'late_receiver' AND points.cause_location_id IS NOT NULL
                    AND $is_like_scalasca::BOOLEAN
                    THEN least(points.leave_ns - points.partner_leave_ns, 0)
                WHEN points.kind IN ('late_sender', 'late_receiver')
                    THEN greatest(points.leave_ns - points.partner_leave_ns, 0)
                WHEN points.kind = 'one_to_n' THEN greatest(own.end_ns - receivers.first_end_ns, 0)
                WHEN points.kind = 'n_to_one'
                    THEN points.leave_ns - points.enter_ns - points.wait_ns
                ELSE coalesce(completions.completion_ns, 0)
            END AS completion_ns,
            0 AS idle_count
        FROM synchronization_points AS points
        LEFT JOIN team_barriers USING (visit_id)
        LEFT JOIN collectives USING (collective_id)
        LEFT JOIN receivers USING (collective_id)
        LEFT JOIN collective_members AS own
            ON
                points.collective_id = own.collective_id
                AND points.location_id = own.location_id
        LEFT JOIN completions ON points.visit_id = completions.visit_id
        WHERE points.kind NOT IN ('fork', 'device', 'launch')
    ),

    points AS (
        FROM plain
        UNION ALL BY NAME
        SELECT
            'fork' AS kind,
            location_id,
            visit_id,
            call_path_id,
            fork_ns AS boundary_ns,
            leave_ns,
            0 AS wait_ns,
            enter_ns - fork_ns AS duration_ns,
            enter_ns - first_enter_ns AS completion_ns,
            idle_count
        FROM forks
        UNION ALL BY NAME
        SELECT
            'join' AS kind,
            location_id,
            visit_id,
            call_path_id,
            join_ns AS boundary_ns,
            join_ns AS leave_ns,
            0 AS wait_ns,
            0 AS duration_ns,
            0 AS completion_ns,
            0 AS idle_count
        FROM forks
        WHERE idle_count > 0 AND join_ns IS NOT NULL
        UNION ALL BY NAME
        SELECT
            'end' AS kind,
            locations.location_id,
            arg_max(forks.visit_id, forks.fork_ns) AS visit_id,
            arg_max(forks.call_path_id, forks.fork_ns) AS call_path_id,
            any_value(locations.end_ns) AS boundary_ns,
            any_value(locations.end_ns) AS leave_ns,
            0 AS wait_ns,
            0 AS duration_ns,
            0 AS completion_ns,
            arg_max(forks.idle_count, forks.fork_ns) AS idle_count
        FROM forks
        INNER JOIN locations USING (location_id)
        WHERE forks.idle_count > 0
        GROUP BY locations.location_id
        UNION ALL BY NAME
        SELECT
            'end' AS kind,
            locations.location_id,
            min(visits.visit_id) AS visit_id,
            arg_min(visits.call_path_id, visits.visit_id) AS call_path_id,
            any_value(locations.end_ns) AS boundary_ns,
            any_value(locations.end_ns) AS leave_ns,
            0 AS wait_ns,
            0 AS duration_ns,
            0 AS completion_ns,
            any_value(creators.created_count) AS idle_count
        FROM (
            SELECT location_id, count(*) AS created_count
            FROM thread_events
            WHERE $is_like_scalasca::BOOLEAN AND kind = 'create'
            GROUP BY location_id
        ) AS creators
        INNER JOIN locations USING (location_id)
        INNER JOIN visits USING (location_id)
        GROUP BY locations.location_id
    ),

    numbered AS (
        SELECT
            *,
            row_number() OVER (
                ORDER BY
                    location_id,
                    boundary_ns,
                    kind <> 'join',
                    visit_id,
                    kind <> 'fork',
                    cause_location_id IS NOT NULL,
                    leave_ns,
                    wait_ns,
                    message_id,
                    collective_id
            ) - 1 AS point_id
        FROM points
    )

SELECT
    numbered.point_id,
    numbered.kind,
    numbered.location_id,
    numbered.visit_id,
    numbered.call_path_id,
    numbered.boundary_ns,
    numbered.leave_ns,
    numbered.wait_ns::BIGINT AS wait_ns,
    causes.point_id AS cause_point_id,
    numbered.group_id,
    numbered.duration_ns,
    coalesce(numbered.completion_ns, 0)::BIGINT AS completion_ns,
    numbered.idle_count::INTEGER AS idle_count
FROM numbered
LEFT JOIN numbered AS causes
    ON
        numbered.cause_visit_id = causes.visit_id
        AND numbered.cause_location_id = causes.location_id
        AND numbered.kind = causes.kind
        AND numbered.message_id IS NOT DISTINCT FROM causes.message_id
        AND numbered.collective_id IS NOT DISTINCT FROM causes.collective_id
        AND causes.cause_location_id IS NULL
