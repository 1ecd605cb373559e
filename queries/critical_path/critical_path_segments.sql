-- The critical path: the chain of activities, without waiting, that determines the run time.
--
--     ordinal   0                      1                          2
--     rank 0    |Init|== work ==|send
--     rank 1                    [recv:wait|==|== work ==|send
--     rank 2                                            [recv:wait|=|Finalize
--
-- A segment begins on a location where the path enters a call that waited, and ends where the call
-- is entered that the next segment waits for. The wait itself is not on the path, only the rest of
-- the call. At most the time that the path has in the call path is subtracted.
--
-- Grain:      one row per segment of the critical path
-- Inputs:     critical_path_steps, critical_path_jumps, synchronization_points, location_spans,
--             visits, call_paths, task_calls
-- Needs rows: critical_path_steps
-- Output:     critical_path_segments
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2); Scalasca, "critical-path analysis"
-- Assumes:    visits of a location are nested
WITH
    segments AS (
        SELECT
            steps.ordinal,
            jumps.cause_location_id AS location_id,
            jumps.cause_enter_ns AS end_ns,
            jumps.cause_visit_id AS end_visit_id,
            waits.visit_id AS waiting_visit_id,
            waits.wait_ns,
            waits.cause_location_id,
            waits.cause_visit_id
        FROM critical_path_steps AS steps
        INNER JOIN critical_path_jumps AS jumps USING (point_id)
        LEFT JOIN critical_path_jumps AS waits ON jumps.predecessor_id = waits.point_id
    ),

    begins AS (
        SELECT
            segments.ordinal,
            points.kind,
            points.visit_id,
            points.call_path_id,
            points.enter_ns AS begin_ns,
            points.leave_ns
        FROM segments
        INNER JOIN synchronization_points AS points
            ON
                segments.waiting_visit_id = points.visit_id
                AND segments.wait_ns = points.wait_ns
                AND segments.cause_visit_id = points.cause_visit_id
        QUALIFY row_number() OVER (PARTITION BY segments.ordinal ORDER BY points.kind) = 1
        UNION ALL
        SELECT
            segments.ordinal,
            NULL,
            spans.begin_visit_id,
            spans.begin_call_path_id,
            spans.begin_ns,
            NULL
        FROM segments
        INNER JOIN location_spans AS spans USING (location_id)
        WHERE segments.waiting_visit_id IS NULL
    ),

    described AS (
        SELECT
            segments.* EXCLUDE (waiting_visit_id, wait_ns, cause_visit_id),
            begins.* EXCLUDE (ordinal),
            coalesce(segments.wait_ns, 0) AS wait_ns
        FROM segments
        INNER JOIN begins USING (ordinal)
    ),

    -- A call without callees has at least as much exclusive time as it waited. Only calls with
    -- callees have to be checked.
    callers AS (
        FROM described
        WHERE
            wait_ns > 0
            AND call_path_id IN (
                SELECT call_path_id FROM call_paths
                WHERE last_call_path_id > call_path_id
            )
    ),

    -- If times are equal, the path may pass a call twice.
    caller_begins AS (
        SELECT DISTINCT location_id, call_path_id, visit_id FROM callers
    ),

    -- Before a task begins, time belongs to the tasks.
    task_delays AS (
        SELECT
            scheduling_visit_id AS visit_id,
            sum(enter_ns - since_ns)::BIGINT AS delay_ns,
            max(leave_ns) AS last_leave_ns
        FROM task_calls
        GROUP BY scheduling_visit_id
    ),

    caller_visits AS (
        SELECT
            visits.location_id,
            visits.visit_id,
            visits.call_path_id,
            visits.enter_ns,
            visits.exclusive_ns - coalesce(task_delays.delay_ns, 0) AS exclusive_ns,
            coalesce(visits.leave_ns - task_delays.last_leave_ns, exclusive_ns) AS last_part_ns
        FROM visits
        LEFT JOIN task_delays USING (visit_id)
        WHERE visits.call_path_id IN (SELECT call_path_id FROM callers)
    ),

    caller_times AS (
        SELECT
            callers.ordinal,
            sum(
                least(
                    if(
                        visits.visit_id = callers.visit_id,
                        visits.last_part_ns,
                        visits.exclusive_ns
                    ),
                    greatest(callers.end_ns - visits.enter_ns, 0)
                )
            )::BIGINT AS time_ns
        FROM caller_visits AS visits
        ASOF INNER JOIN caller_begins AS begun
            ON
                visits.location_id = begun.location_id
                AND visits.call_path_id = begun.call_path_id
                AND visits.visit_id >= begun.visit_id
        INNER JOIN callers
            ON
                begun.location_id = callers.location_id
                AND begun.call_path_id = callers.call_path_id
                AND begun.visit_id = callers.visit_id
        WHERE visits.visit_id < coalesce(callers.end_visit_id, 9223372036854775807)
        GROUP BY callers.ordinal
    )

SELECT
    described.ordinal,
    described.location_id,
    described.begin_ns,
    described.end_ns,
    described.kind,
    described.cause_location_id,
    described.visit_id,
    described.call_path_id,
    least(described.wait_ns, coalesce(caller_times.time_ns, described.wait_ns)) AS wait_ns,
    if(
        described.kind IS NULL OR described.kind IN ('fork', 'launch'),
        0,
        greatest(
            least(described.leave_ns, described.end_ns) - described.begin_ns - described.wait_ns, 0
        )
    ) AS completion_ns,
    described.end_visit_id
FROM described
LEFT JOIN caller_times USING (ordinal)
ORDER BY described.ordinal
