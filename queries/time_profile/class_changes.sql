-- Intervals in which the time of a location belongs to another overhead class than its visits
-- imply.
--
-- Visits move time from their caller's class to their own class. This relation covers the rest: the
-- class of time outside visits, which has no caller; the time between parallel regions and their
-- fork or join; and visits that are paused while a task runs or is suspended.
--
-- Grain:      one row per location, pair of classes and interval
-- Inputs:     location_bases, parallel_visits, call_paths, region_classes,
--             overhead_classes, task_pauses
-- Output:     class_changes
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    visits of a location are nested, except for tasks
WITH
    bases AS (
        SELECT
            location_id,
            unnest([outside_id, overhead_id, outside_id]) AS overhead_id,
            NULL::INTEGER AS caller_overhead_id,
            unnest([run_begin_ns, begin_ns, end_ns]) AS begin_ns,
            unnest([begin_ns, end_ns, run_end_ns]) AS end_ns
        FROM location_bases
    ),

    forks_and_joins AS (
        SELECT
            parallel_visits.location_id,
            fork_join.overhead_id,
            if(parallel_visits.is_start, location_bases.overhead_id, callers.overhead_id)
                AS caller_overhead_id,
            unnest([parallel_visits.fork_ns, parallel_visits.leave_ns]) AS begin_ns,
            unnest([parallel_visits.enter_ns, parallel_visits.join_ns]) AS end_ns
        FROM parallel_visits
        INNER JOIN location_bases USING (location_id)
        INNER JOIN call_paths USING (call_path_id)
        LEFT JOIN region_classes AS callers ON call_paths.caller_region_id = callers.region_id
        CROSS JOIN (
            SELECT overhead_id FROM overhead_classes
            WHERE overhead_subclass = 'fork/join'
        ) AS fork_join
    ),

    changes AS (
        FROM bases
        UNION ALL
        FROM forks_and_joins
        UNION ALL
        SELECT
            location_id,
            overhead_id,
            paused_overhead_id AS caller_overhead_id,
            begin_ns,
            end_ns
        FROM task_pauses
    )

SELECT
    location_id,
    overhead_id,
    caller_overhead_id,
    begin_ns,
    end_ns,
    count(*) AS change_count
FROM changes
WHERE begin_ns < end_ns
GROUP BY ALL
