-- Work of each location at each call path, with the time of the critical path there.
--
-- Work is time without waiting at synchronization points. First threads (which represent their
-- processes) and members of thread teams count; for other threads, waits are unknown. Time of a
-- team member after the last barrier of its team does not count, because no other thread waits for
-- it.
--
-- Grain:      one row per call path and location with work, if there is a critical path
-- Inputs:     call_tree, call_paths, location_spans, synchronization_points, team_barriers,
--             team_endings, task_calls, critical_path_profile
-- Needs rows: critical_path_profile
-- Output:     critical_path_work
-- Parameters: none
-- Source:     Böhme, "Characterizing load and communication imbalance in parallel applications",
--             2013
-- Assumes:    synchronization points of a location do not overlap
WITH
    path_times AS (
        SELECT
            call_path_id,
            sum(path_ns)::BIGINT AS path_ns
        FROM critical_path_profile
        GROUP BY call_path_id
    ),

    workers AS (
        SELECT location_id FROM location_spans
        WHERE is_worker AND EXISTS (FROM critical_path_profile)
    ),

    waits AS (
        SELECT
            points.call_path_id,
            points.location_id,
            sum(points.wait_ns) AS wait_ns
        FROM synchronization_points AS points
        ANTI JOIN (FROM team_barriers WHERE is_parting) AS partings
            ON points.visit_id = partings.visit_id
        WHERE points.wait_ns > 0
        GROUP BY points.call_path_id, points.location_id
    ),

    -- Before a task begins, time belongs to the tasks, not to the construct that scheduled it.
    times AS (
        SELECT
            call_path_id,
            location_id,
            sum(time_ns)::BIGINT AS time_ns
        FROM (
            SELECT call_path_id, location_id, exclusive_ns AS time_ns FROM call_tree
            ANTI JOIN (FROM call_paths WHERE kind = 'task_stub') AS stubs USING (call_path_id)
            UNION ALL
            SELECT scheduling_call_path_id, location_id, since_ns - enter_ns FROM task_calls
            UNION ALL
            SELECT root_call_path_id, location_id, enter_ns - since_ns FROM task_calls
        )
        GROUP BY call_path_id, location_id
    ),

    works AS (
        SELECT
            times.call_path_id,
            times.location_id,
            greatest(
                times.time_ns
                - coalesce(team_endings.ending_ns, 0)
                - coalesce(waits.wait_ns, 0),
                0
            )::BIGINT AS work_ns,
            coalesce(path_times.path_ns, 0) AS path_ns
        FROM times
        INNER JOIN workers USING (location_id)
        LEFT JOIN waits USING (call_path_id, location_id)
        LEFT JOIN team_endings USING (call_path_id, location_id)
        LEFT JOIN path_times USING (call_path_id)
    )

SELECT
    call_path_id,
    location_id,
    work_ns,
    path_ns
FROM works
WHERE work_ns > 0
ORDER BY call_path_id, location_id
