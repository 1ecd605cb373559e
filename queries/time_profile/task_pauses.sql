-- Intervals in which open visits are paused, because a task runs instead or is itself suspended.
--
-- While a task runs, the construct that scheduled it is paused. While a task is suspended, its
-- innermost visit is paused:
--
--     barrier   [                                  ]
--     task 1         [    [taskwait      ]    ]         the barrier is paused from 10 to 50
--     task 2                   [    ]                   the taskwait from 25 to 35
--     time      0    10   20   25   35   45   50   60
--
-- Grain:      one row per interval in which a visit is paused
-- Inputs:     task_stretches, thread_events, visits, call_paths, region_classes
-- Needs rows: task_stretches
-- Output:     task_pauses
-- Parameters: none
-- Source:     OpenMP 5.2, section 12: tasks are suspended at scheduling points only
-- Assumes:    a suspended task continues on the location that began it
WITH
    path_classes AS NOT MATERIALIZED (
        SELECT
            call_paths.*,
            region_classes.overhead_id
        FROM call_paths
        INNER JOIN region_classes USING (region_id)
    ),

    -- No visits lie outside tasks between consecutive intervals, so the previous scheduler still
    -- applies.
    schedulers AS (
        SELECT
            location_id,
            base_id AS overhead_id,
            last_value(if(is_scheduled_by_task, NULL, scheduler_class_id) IGNORE NULLS) OVER (
                PARTITION BY location_id
                ORDER BY begin_ns, end_ns, thread, number ROWS UNBOUNDED PRECEDING
            ) AS paused_overhead_id,
            begin_ns,
            end_ns
        FROM task_stretches
    ),

    gaps AS (
        SELECT
            *,
            lag(end_ns) OVER (
                PARTITION BY location_id, thread, number, instance ORDER BY begin_ns, end_ns
            ) AS pause_ns
        FROM task_stretches
        QUALIFY pause_ns < begin_ns
    ),

    -- A task resumes with a record, which names the visit, or, without a record, when the task that
    -- started at that visit has ended.
    resumptions AS (
        SELECT
            thread_events.location_id,
            coalesce(thread_events.thread, 0) AS thread,
            thread_events.number,
            thread_events.time_ns,
            max(path_classes.overhead_id) AS overhead_id
        FROM thread_events
        INNER JOIN path_classes USING (call_path_id)
        WHERE thread_events.kind = 'task_switch'
        GROUP BY ALL
    ),

    takeovers AS (
        SELECT
            location_id,
            begin_ns,
            max(scheduler_class_id) AS overhead_id
        FROM task_stretches
        WHERE is_scheduled_by_task
        GROUP BY ALL
    ),

    suspended AS (
        SELECT
            gaps.location_id,
            gaps.base_id AS overhead_id,
            coalesce(resumptions.overhead_id, takeovers.overhead_id, gaps.base_id)
                AS paused_overhead_id,
            gaps.pause_ns AS begin_ns,
            gaps.begin_ns AS end_ns
        FROM gaps
        LEFT JOIN resumptions
            ON
                gaps.location_id = resumptions.location_id
                AND gaps.thread = resumptions.thread
                AND gaps.number = resumptions.number
                AND gaps.begin_ns = resumptions.time_ns
        LEFT JOIN takeovers
            ON gaps.location_id = takeovers.location_id AND gaps.pause_ns = takeovers.begin_ns
    ),

    distinct_stretches AS (
        SELECT *
        FROM task_stretches
        QUALIFY row_number() OVER (
                PARTITION BY location_id, begin_ns ORDER BY end_ns DESC, thread DESC, number DESC
            ) = 1
    ),

    -- Visits of tasks that were never resumed are closed when their location ends.
    abandoned AS (
        SELECT
            visits.visit_id,
            visits.leave_ns,
            own.overhead_id AS paused_overhead_id,
            coalesce(callers.overhead_id, task_stretches.base_id) AS overhead_id,
            task_stretches.location_id,
            task_stretches.thread,
            task_stretches.number,
            task_stretches.instance
        FROM (SELECT * FROM visits WHERE NOT is_closed) AS visits
        INNER JOIN path_classes AS own USING (call_path_id)
        LEFT JOIN path_classes AS callers
            ON
                own.parent_call_path_id = callers.call_path_id
                AND visits.parent_visit_id IS NOT NULL
        ASOF INNER JOIN distinct_stretches AS task_stretches
            ON
                visits.location_id = task_stretches.location_id
                AND visits.enter_ns >= task_stretches.begin_ns
        WHERE own.kind = 'task'
    ),

    never_resumed AS (
        SELECT
            location_id,
            any_value(abandoned.overhead_id) AS overhead_id,
            any_value(abandoned.paused_overhead_id) AS paused_overhead_id,
            max(task_stretches.end_ns) AS begin_ns,
            any_value(abandoned.leave_ns) AS end_ns
        FROM abandoned
        INNER JOIN task_stretches USING (location_id, thread, number, instance)
        GROUP BY location_id, abandoned.visit_id
    )

SELECT
    location_id,
    overhead_id,
    paused_overhead_id,
    begin_ns,
    end_ns
FROM (
    FROM schedulers
    UNION ALL
    FROM suspended
    UNION ALL
    FROM never_resumed
) AS pauses
WHERE overhead_id <> paused_overhead_id AND begin_ns < end_ns
