-- Exclusive time outside the main part of the run.
--
-- Grain:      one row per call path and location with such time
-- Inputs:     visits, main_part
-- Output:     setup_times
-- Parameters: none
-- Source:     none
-- Assumes:    tasks and threads that visits fork outside the main part end there
WITH
    outside AS (
        SELECT
            visits.visit_id,
            visits.parent_visit_id,
            visits.call_path_id,
            visits.location_id,
            visits.exclusive_ns,
            greatest(least(visits.leave_ns, main_part.begin_ns) - visits.enter_ns, 0)
            + greatest(visits.leave_ns - greatest(visits.enter_ns, main_part.end_ns), 0)
                AS outside_ns
        FROM visits
        CROSS JOIN main_part
        WHERE visits.enter_ns < main_part.begin_ns OR visits.leave_ns > main_part.end_ns
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
            least(outside.outside_ns - coalesce(called.outside_ns, 0), outside.exclusive_ns)
                AS time_ns
        FROM outside
        LEFT JOIN called ON outside.visit_id = called.visit_id
    )

SELECT
    call_path_id,
    location_id,
    sum(time_ns)::BIGINT AS time_ns
FROM own
GROUP BY call_path_id, location_id
HAVING sum(time_ns) > 0
ORDER BY call_path_id, location_id
