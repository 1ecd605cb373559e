-- Idle time of each location: waiting in calls, without work, or absent while the run goes on.
--
--     run       [                                          ]
--     rank 0    [  [Recv..waits..]        ]                     waiting, then absent
--     worker            [parallel  ]                            idle thread before and after,
--                                                               absent when rank 0 is
--
-- Waiting is the time of wait states. Completion, which is time after the last process or thread
-- came, does not count. Waits that no analysis detects are missing. Streams of accelerators are no
-- part of this: they have nothing to do unless a thread gives them work.
--
-- Grain:      one row per thread
-- Inputs:     locations, location_bases, location_overheads, overhead_classes, wait_states
-- Output:     idle_times
-- Parameters: none
-- Source:     Scalasca pattern reference: wait states, "OpenMP Idle Threads Time"
-- Assumes:    wait states of a location do not overlap
WITH
    waits AS (
        SELECT
            location_id,
            sum(wait_ns)::BIGINT AS wait_ns
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY location_id
    ),

    idle_threads AS (
        SELECT
            location_overheads.location_id,
            greatest(location_overheads.time_ns, 0) AS time_ns
        FROM location_overheads
        INNER JOIN overhead_classes USING (overhead_id)
        WHERE overhead_classes.overhead_subclass = 'idle threads'
    ),

    measured AS (
        SELECT
            locations.location_id,
            locations.location_group_id,
            coalesce(waits.wait_ns, 0) AS wait_ns,
            coalesce(idle_threads.time_ns, 0) AS idle_thread_ns,
            bases.run_end_ns - bases.run_begin_ns AS run_ns,
            run_ns - CASE
                WHEN bases.overhead_id <> bases.outside_id THEN bases.end_ns - bases.begin_ns
                ELSE coalesce(locations.end_ns - locations.begin_ns, 0)
            END AS absent_ns
        FROM locations
        INNER JOIN location_bases AS bases USING (location_id)
        LEFT JOIN waits USING (location_id)
        LEFT JOIN idle_threads USING (location_id)
        WHERE locations.kind <> 'gpu'
    )

SELECT
    location_id,
    location_group_id,
    wait_ns,
    idle_thread_ns,
    absent_ns,
    wait_ns + idle_thread_ns + absent_ns AS idle_ns,
    (wait_ns + idle_thread_ns + absent_ns) / nullif(run_ns, 0) AS idle_ratio
FROM measured
ORDER BY location_id
