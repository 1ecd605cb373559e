-- Barriers of thread teams, with the thread that came last and did not wait.
--
--     thread 0   [parallel  [implicit barrier ......]]
--     thread 1   [parallel              [barrier ...]]
--     thread 2   [parallel                      [   ]]      came last, for both
--
-- A thread that runs tasks inside a barrier does not wait meanwhile. As in Scalasca, tasks that it
-- runs after the last thread came shorten its wait, too.
--
-- Grain:      one row per visit of a barrier by a member of a team
-- Inputs:     visits, call_paths, regions, parallel_visits
-- Needs rows: parallel_visits
-- Output:     team_barriers
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Barrier Wait Time"
-- Assumes:    all members pass the barriers of their team in the same order
WITH RECURSIVE
    barrier_regions AS (
        SELECT region_id, role = 'implicit_barrier' AS is_implicit
        FROM regions
        WHERE paradigm = 'openmp' AND role IN ('barrier', 'implicit_barrier')
    ),

    -- From the call path of each barrier up to its parallel region.
    climbs (call_path_id, is_implicit, ancestor_id) AS (
        SELECT call_path_id, is_implicit, parent_call_path_id
        FROM call_paths
        INNER JOIN barrier_regions USING (region_id)
        UNION ALL
        SELECT climbs.call_path_id, climbs.is_implicit, call_paths.parent_call_path_id
        FROM climbs
        INNER JOIN call_paths ON climbs.ancestor_id = call_paths.call_path_id
        INNER JOIN regions USING (region_id)
        WHERE regions.role <> 'parallel'
    ),

    barrier_paths AS (
        SELECT climbs.call_path_id, climbs.is_implicit, climbs.ancestor_id
        FROM climbs
        INNER JOIN call_paths ON climbs.ancestor_id = call_paths.call_path_id
        INNER JOIN regions USING (region_id)
        WHERE regions.role = 'parallel'
    ),

    entered AS (
        SELECT
            visits.visit_id,
            visits.location_id,
            visits.call_path_id,
            barrier_paths.is_implicit,
            barrier_paths.ancestor_id,
            visits.enter_ns,
            visits.leave_ns,
            visits.leave_ns - visits.enter_ns - visits.exclusive_ns AS task_ns
        FROM visits
        INNER JOIN barrier_paths USING (call_path_id)
    ),

    passed AS (
        SELECT
            entered.* EXCLUDE (ancestor_id),
            parallel_visits.thread_team_id,
            parallel_visits.master_location_id,
            row_number() OVER (
                PARTITION BY parallel_visits.thread_team_id, entered.location_id
                ORDER BY entered.visit_id
            )::INTEGER - 1 AS ordinal
        FROM entered
        ASOF INNER JOIN parallel_visits
            ON
                entered.location_id = parallel_visits.location_id
                AND entered.ancestor_id = parallel_visits.call_path_id
                AND entered.visit_id > parallel_visits.visit_id
        WHERE entered.enter_ns <= parallel_visits.leave_ns
    ),

    -- Of threads that come at the same time, the one with the lowest number is the last.
    arrivals AS (
        SELECT
            thread_team_id,
            ordinal,
            max((enter_ns, -location_id, visit_id)) AS last_one,
            ordinal = max(ordinal) OVER (PARTITION BY thread_team_id) AS is_last
        FROM passed
        GROUP BY thread_team_id, ordinal
    )

SELECT
    passed.thread_team_id,
    passed.ordinal,
    passed.location_id,
    passed.visit_id,
    passed.call_path_id,
    passed.is_implicit,
    passed.enter_ns,
    passed.leave_ns,
    arrivals.is_last AND passed.location_id <> passed.master_location_id AS is_parting,
    arrivals.last_one[1] AS last_enter_ns,
    -arrivals.last_one[2] AS last_location_id,
    arrivals.last_one[3] AS last_visit_id,
    greatest(
        least(arrivals.last_one[1], passed.leave_ns) - passed.enter_ns - passed.task_ns, 0
    ) AS wait_ns
FROM passed
INNER JOIN arrivals USING (thread_team_id, ordinal)
