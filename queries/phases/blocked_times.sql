-- Time in which a CPU thread is blocked in wait states, by the activity of the calls that wait.
--
-- Waits of calls of one activity may overlap; their common time counts once:
--
--     Recv       [      wait    ]
--     Recv            [  wait       ]        blocked from the begin of the first to the end of the
--     Barrier                          [ ]   second; the barrier is another activity
--
-- Completion of a call is no waiting.
--
-- Grain:      one row per CPU thread, activity and stretch that adds time
-- Inputs:     wait_states, call_paths, region_classes, overhead_classes, locations
-- Needs rows: wait_states
-- Output:     blocked_times
-- Parameters: none
-- Source:     Wolf and Mohr (EXPERT)
-- Assumes:    a wait lies in its call
WITH
    path_activities AS (
        SELECT
            call_paths.call_path_id,
            overhead_classes.activity
        FROM call_paths
        INNER JOIN region_classes USING (region_id)
        INNER JOIN overhead_classes USING (overhead_id)
    ),

    waits AS (
        SELECT
            wait_states.location_id,
            path_activities.activity,
            greatest(
                wait_states.start_ns,
                max(wait_states.start_ns + wait_states.wait_ns) OVER (
                    PARTITION BY wait_states.location_id, path_activities.activity
                    ORDER BY wait_states.start_ns, wait_states.wait_ns
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                )
            ) AS begin_ns,
            wait_states.start_ns + wait_states.wait_ns AS end_ns
        FROM wait_states
        INNER JOIN path_activities USING (call_path_id)
        INNER JOIN locations USING (location_id)
        WHERE
            NOT wait_states.is_completion
            AND wait_states.wait_ns > 0
            AND locations.kind IN ('unknown', 'cpu_thread')
    )

SELECT
    location_id,
    activity,
    begin_ns,
    end_ns
FROM waits
WHERE begin_ns < end_ns
ORDER BY location_id, activity, begin_ns, end_ns
