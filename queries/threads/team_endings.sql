-- What workers of teams do from entering the last barrier of the team on, at which they part.
--
--     master   [parallel ....[barrier]  ]      goes on after the join
--     worker   [parallel [barrier    ]  ]
--                        |── ending ────|
--
-- Nobody meets a worker after that; its time there, waiting included, belongs to no stretch between
-- two synchronisation points. Traces with explicit tasks have no critical path yet, nor endings.
--
-- Grain:      one row per call path and worker with such time
-- Inputs:     team_barriers, parallel_visits, task_fragments, visits, call_paths
-- Output:     team_endings
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": synchronisation points of threads
-- Assumes:    teams are not nested; without barriers a team parts where it forks
WITH
    last_barriers AS (
        SELECT
            thread_team_id,
            location_id,
            max(enter_ns) AS enter_ns
        FROM team_barriers
        GROUP BY thread_team_id, location_id
    ),

    endings AS (
        SELECT
            workers.location_id,
            workers.visit_id,
            workers.fork_ns,
            coalesce(last_barriers.enter_ns, workers.fork_ns) AS begin_ns,
            workers.join_ns
        FROM parallel_visits AS workers
        LEFT JOIN last_barriers USING (thread_team_id, location_id)
        WHERE
            workers.location_id <> workers.master_location_id
            AND NOT EXISTS (FROM task_fragments)
    ),

    -- Of visits entered before, only the part that lies in the ending.
    ending_visits AS (
        SELECT
            visits.location_id,
            visits.call_path_id,
            visits.visit_id = endings.visit_id AS is_start,
            if(is_start, endings.join_ns, visits.leave_ns)
            - greatest(if(is_start, endings.fork_ns, visits.enter_ns), endings.begin_ns) AS time_ns
        FROM (FROM visits SEMI JOIN endings USING (location_id)) AS visits
        ASOF INNER JOIN endings
            ON
                visits.location_id = endings.location_id
                AND visits.visit_id >= endings.visit_id
        WHERE visits.leave_ns > endings.begin_ns AND visits.enter_ns < endings.join_ns
    ),

    parts AS (
        SELECT location_id, call_path_id, time_ns FROM ending_visits
        UNION ALL
        SELECT ending_visits.location_id, call_paths.parent_call_path_id, -ending_visits.time_ns
        FROM ending_visits
        INNER JOIN call_paths USING (call_path_id)
        WHERE NOT ending_visits.is_start
    )

SELECT
    call_path_id,
    location_id,
    sum(time_ns)::BIGINT AS ending_ns
FROM parts
GROUP BY call_path_id, location_id
HAVING ending_ns <> 0
ORDER BY call_path_id, location_id
