-- Time of team workers from entering the last barrier of the team until the join.
--
--     master   [parallel ....[barrier]  ]      goes on after the join
--     worker   [parallel [barrier    ]  ]
--                        |── ending ────|
--
-- No other thread waits for a worker after that barrier, so its time there, including waits, is not
-- between two synchronization points. Traces with suspended explicit tasks have no critical path
-- yet, and no rows here.
--
-- Grain:      one row per call path and worker with such time
-- Inputs:     team_barriers, parallel_visits, task_fragments, task_calls, visits, call_paths
-- Needs rows: parallel_visits
-- Output:     team_endings
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": synchronization points of threads
-- Assumes:    teams are not nested; a team without barriers ends where it forks, and has no tasks
WITH
    last_barriers AS (
        SELECT
            thread_team_id,
            location_id,
            max(visit_id) AS visit_id,
            max(enter_ns) AS enter_ns
        FROM team_barriers
        GROUP BY thread_team_id, location_id
    ),

    endings AS (
        SELECT
            workers.location_id,
            workers.visit_id,
            last_barriers.visit_id AS barrier_visit_id,
            workers.fork_ns,
            coalesce(last_barriers.enter_ns, workers.fork_ns) AS begin_ns,
            workers.join_ns
        FROM parallel_visits AS workers
        LEFT JOIN last_barriers USING (thread_team_id, location_id)
        WHERE
            workers.location_id <> workers.master_location_id
            AND (SELECT count(*) FROM task_fragments) = (SELECT count(*) FROM task_calls)
    ),

    -- For visits entered earlier, only the part after that barrier counts.
    ending_visits AS (
        SELECT
            visits.location_id,
            visits.call_path_id,
            visits.visit_id = endings.visit_id AS is_start,
            visits.parent_visit_id IS NULL AS is_root,
            if(is_start, endings.join_ns, visits.leave_ns)
            - greatest(if(is_start, endings.fork_ns, visits.enter_ns), endings.begin_ns) AS time_ns
        FROM (FROM visits SEMI JOIN endings USING (location_id)) AS visits
        ASOF INNER JOIN endings
            ON
                visits.location_id = endings.location_id
                AND visits.visit_id >= endings.visit_id
        WHERE visits.leave_ns > endings.begin_ns AND visits.enter_ns < endings.join_ns
    ),

    ending_tasks AS (
        SELECT task_calls.*
        FROM task_calls
        INNER JOIN endings ON task_calls.scheduling_visit_id = endings.barrier_visit_id
    ),

    parts AS (
        SELECT location_id, call_path_id, time_ns FROM ending_visits
        UNION ALL
        SELECT location_id, scheduling_call_path_id, since_ns - leave_ns FROM ending_tasks
        UNION ALL
        SELECT location_id, root_call_path_id, enter_ns - since_ns FROM ending_tasks
        UNION ALL
        SELECT ending_visits.location_id, call_paths.parent_call_path_id, -ending_visits.time_ns
        FROM ending_visits
        INNER JOIN call_paths USING (call_path_id)
        WHERE NOT (ending_visits.is_start OR ending_visits.is_root)
    )

SELECT
    call_path_id,
    location_id,
    sum(time_ns)::BIGINT AS ending_ns
FROM parts
GROUP BY call_path_id, location_id
HAVING ending_ns <> 0
