-- Idle time of worker threads while a team works that they do not belong to.
--
--     master     [  [parallel    ]   [parallel ]  ]
--     worker 1      [parallel    ]   [parallel ]
--     worker 2      [parallel    ]                      idle while the second team works
--
-- Such a worker is charged the master's time in each call path of the parallel region. Members of
-- nested teams are not idle.
--
-- Grain:      one row per call path in a parallel region and worker that is idle there
-- Inputs:     parallel_visits, team_workers, serial_call_paths, visits
-- Needs rows: team_workers
-- Output:     limited_parallelism
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Limited Parallelism Time"
-- Assumes:    the first thread of a process forks one team after another
WITH
    outermost AS (
        SELECT
            parallel_visits.visit_id,
            parallel_visits.location_id,
            parallel_visits.thread_team_id,
            parallel_visits.call_path_id,
            serial_call_paths.last_call_path_id,
            parallel_visits.fork_ns,
            parallel_visits.leave_ns,
            parallel_visits.join_ns
        FROM parallel_visits
        INNER JOIN serial_call_paths USING (call_path_id)
        SEMI JOIN team_workers ON parallel_visits.location_id = team_workers.master_location_id
        WHERE parallel_visits.location_id = parallel_visits.master_location_id
    ),

    other_teams AS (
        SELECT DISTINCT
            parallel_visits.thread_team_id,
            parallel_visits.fork_ns,
            team_workers.master_location_id
        FROM parallel_visits
        INNER JOIN team_workers USING (location_id)
        ANTI JOIN outermost USING (thread_team_id)
    ),

    -- In time, nested teams lie within the team of their process.
    inner_teams AS (
        SELECT
            other_teams.thread_team_id,
            outermost.visit_id
        FROM other_teams
        ASOF INNER JOIN outermost
            ON
                other_teams.master_location_id = outermost.location_id
                AND other_teams.fork_ns >= outermost.fork_ns
        WHERE other_teams.fork_ns <= outermost.join_ns
    ),

    members AS (
        SELECT
            outermost.visit_id,
            parallel_visits.location_id
        FROM parallel_visits
        INNER JOIN outermost USING (thread_team_id)
        UNION
        SELECT
            inner_teams.visit_id,
            parallel_visits.location_id
        FROM parallel_visits
        INNER JOIN inner_teams USING (thread_team_id)
    ),

    team_sizes AS (
        SELECT
            members.visit_id,
            count(*) AS worker_count
        FROM members
        SEMI JOIN team_workers USING (location_id)
        GROUP BY members.visit_id
    ),

    process_sizes AS (
        SELECT
            master_location_id,
            count(*) AS worker_count
        FROM team_workers
        GROUP BY master_location_id
    ),

    limited AS (
        SELECT
            outermost.visit_id,
            outermost.location_id
        FROM outermost
        INNER JOIN process_sizes ON outermost.location_id = process_sizes.master_location_id
        LEFT JOIN team_sizes USING (visit_id)
        WHERE coalesce(team_sizes.worker_count, 0) < process_sizes.worker_count
    ),

    -- Many teams share the same set of idle workers.
    idle_sets AS (
        SELECT
            limited.visit_id,
            list(team_workers.location_id ORDER BY team_workers.location_id) AS idle_location_ids
        FROM limited
        INNER JOIN team_workers ON limited.location_id = team_workers.master_location_id
        ANTI JOIN members
            ON
                limited.visit_id = members.visit_id
                AND team_workers.location_id = members.location_id
        GROUP BY limited.visit_id
    ),

    times AS (
        SELECT
            visits.call_path_id,
            idle_sets.idle_location_ids,
            sum(visits.exclusive_ns) AS time_ns
        FROM (FROM visits SEMI JOIN limited USING (location_id)) AS visits
        ASOF INNER JOIN outermost
            ON
                visits.location_id = outermost.location_id
                AND visits.visit_id >= outermost.visit_id
        INNER JOIN idle_sets ON outermost.visit_id = idle_sets.visit_id
        WHERE
            visits.enter_ns <= outermost.leave_ns
            AND visits.call_path_id BETWEEN outermost.call_path_id AND outermost.last_call_path_id
        GROUP BY visits.call_path_id, idle_sets.idle_location_ids
    ),

    idle_times AS (
        SELECT
            call_path_id,
            unnest(idle_location_ids) AS location_id,
            time_ns
        FROM times
    )

SELECT
    call_path_id,
    location_id,
    sum(time_ns)::BIGINT AS idle_ns
FROM idle_times
GROUP BY call_path_id, location_id
HAVING idle_ns > 0
