-- Exclusive time outside the main part of the run.
--
-- A parallel region lasts from the fork to the join.
--
-- Grain:      one row per call path and location with such time
-- Inputs:     visits, parallel_visits, main_part
-- Output:     setup_times
-- Parameters: none
-- Source:     none
-- Assumes:    tasks that visits create outside the main part end there
WITH
    outside_teams AS (
        SELECT parallel_visits.*
        FROM parallel_visits
        CROSS JOIN main_part
        WHERE
            parallel_visits.fork_ns < main_part.begin_ns
            OR parallel_visits.join_ns > main_part.end_ns
    ),

    spans AS (
        SELECT
            visits.visit_id,
            visits.parent_visit_id,
            visits.call_path_id,
            visits.location_id,
            visits.exclusive_ns,
            coalesce(outside_teams.fork_ns, visits.enter_ns) AS fork_ns,
            visits.enter_ns,
            visits.leave_ns,
            coalesce(outside_teams.join_ns, visits.leave_ns) AS join_ns,
            main_part.begin_ns,
            main_part.end_ns
        FROM visits
        CROSS JOIN main_part
        LEFT JOIN outside_teams ON visits.visit_id = outside_teams.visit_id
        WHERE
            visits.enter_ns < main_part.begin_ns
            OR visits.leave_ns > main_part.end_ns
            OR outside_teams.visit_id IS NOT NULL
    ),

    outside AS (
        SELECT
            visit_id,
            parent_visit_id,
            call_path_id,
            location_id,
            exclusive_ns,
            greatest(least(join_ns, begin_ns) - fork_ns, 0)
            + greatest(join_ns - greatest(fork_ns, end_ns), 0) AS outside_ns,
            greatest(least(enter_ns, begin_ns) - fork_ns, 0)
            + greatest(join_ns - greatest(leave_ns, end_ns), 0)
            + greatest(least(join_ns, begin_ns) - leave_ns, 0)
            + greatest(enter_ns - greatest(fork_ns, end_ns), 0) AS fork_join_ns
        FROM spans
    ),

    called AS (
        SELECT
            parent_visit_id AS visit_id,
            sum(outside_ns) AS outside_ns
        FROM outside
        GROUP BY parent_visit_id
    ),

    own AS (
        SELECT
            outside.call_path_id,
            outside.location_id,
            outside.fork_join_ns,
            least(outside.outside_ns - coalesce(called.outside_ns, 0), outside.exclusive_ns)
                AS time_ns
        FROM outside
        LEFT JOIN called ON outside.visit_id = called.visit_id
    )

SELECT
    call_path_id,
    location_id,
    sum(time_ns)::BIGINT AS time_ns,
    sum(fork_join_ns)::BIGINT AS fork_join_ns
FROM own
GROUP BY call_path_id, location_id
HAVING sum(time_ns) > 0
ORDER BY call_path_id, location_id
