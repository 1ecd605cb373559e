-- Idle time of all threads together, with the most idle thread, and the share of the run for which
-- streams of accelerators run kernels and copies.
--
-- Grain:      one row if there are threads
-- Inputs:     idle_times, locations, regions, main_times, main_part
-- Output:     report section load balance
-- Parameters: none
-- Assumes:    of equals, the location with the smallest number counts
WITH
    -- Place 1 is the most idle location.
    placed AS (
        SELECT
            idle_times.*,
            locations.rank,
            locations.thread,
            row_number() OVER (ORDER BY idle_times.idle_ns DESC, idle_times.location_id) AS place
        FROM idle_times
        INNER JOIN locations ON idle_times.location_id = locations.location_id
    ),

    summed AS (
        SELECT
            sum(idle_ns) AS idle_ns,
            avg(idle_ratio) AS idle_ratio,
            min(idle_ns) AS shortest_ns
        FROM placed
        HAVING count(*) > 0
    ),

    executed AS (
        SELECT coalesce(sum(main_times.time_ns), 0) AS executed_ns
        FROM main_times
        INNER JOIN regions ON main_times.region_id = regions.region_id
        INNER JOIN locations ON main_times.location_id = locations.location_id
        WHERE locations.kind = 'gpu' AND regions.role <> 'artificial'
    ),

    streams AS (SELECT count(*) AS stream_count FROM locations WHERE kind = 'gpu'),

    occupied AS (
        SELECT
            executed.executed_ns
            / nullif(streams.stream_count * (main_part.end_ns - main_part.begin_ns), 0)
                AS stream_ratio
        FROM main_part
        CROSS JOIN executed
        CROSS JOIN streams
    )

SELECT
    summed.idle_ns::BIGINT AS idle_ns,
    summed.idle_ratio,
    summed.shortest_ns,
    placed.rank AS worst_rank,
    placed.thread AS worst_thread,
    placed.idle_ns AS worst_ns,
    placed.wait_ns AS worst_wait_ns,
    placed.idle_thread_ns AS worst_idle_thread_ns,
    placed.absent_ns AS worst_absent_ns,
    occupied.stream_ratio
FROM summed
CROSS JOIN occupied
INNER JOIN placed ON placed.place = 1
ORDER BY placed.place
