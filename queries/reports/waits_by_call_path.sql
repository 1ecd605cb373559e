-- Wait states per call path.
--
-- Grain:      one row per property, call path that lost time, and whether it is extended
-- Inputs:     main_waits, metrics, call_paths, locations, main_times
-- Output:     report section wait states
-- Parameters: $row_limit  maximum number of rows, longest waits first (BIGINT)
-- Assumes:    of equals, the location with the smallest number counts
WITH
    -- One row per property, call path and location; place 1 waited longest.
    waiting AS (
        SELECT
            waits.property,
            waits.is_extended,
            waits.call_path_id,
            locations.rank,
            locations.thread,
            sum(waits.wait_ns) AS wait_ns,
            sum(waits.main_ns) AS main_ns,
            count(*) AS wait_count,
            row_number() OVER (
                PARTITION BY waits.property, waits.is_extended, waits.call_path_id
                ORDER BY sum(waits.wait_ns) DESC, waits.location_id
            ) AS place
        FROM main_waits AS waits
        INNER JOIN locations ON waits.location_id = locations.location_id
        GROUP BY
            waits.property,
            waits.is_extended,
            waits.call_path_id,
            waits.location_id,
            locations.rank,
            locations.thread
    ),

    profiled AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    call_paths.path AS call_path,
    coalesce(metrics.title, waiting.property) AS finding,
    waiting.is_extended,
    sum(waiting.wait_ns)::BIGINT AS wait_ns,
    sum(waiting.main_ns) / nullif(any_value(profiled.total_ns), 0) AS wait_ratio,
    sum(waiting.wait_count)::BIGINT AS wait_count,
    count(*) AS location_count,
    any_value(waiting.rank) FILTER (WHERE waiting.place = 1) AS worst_rank,
    any_value(waiting.thread) FILTER (WHERE waiting.place = 1) AS worst_thread,
    max(waiting.wait_ns)::BIGINT AS worst_ns
FROM waiting
CROSS JOIN profiled
LEFT JOIN metrics ON waiting.property = metrics.metric
INNER JOIN call_paths ON waiting.call_path_id = call_paths.call_path_id
GROUP BY
    waiting.property,
    waiting.is_extended,
    metrics.title,
    waiting.call_path_id,
    call_paths.path
ORDER BY wait_ns DESC, waiting.property, waiting.call_path_id, waiting.is_extended
LIMIT $row_limit::BIGINT
