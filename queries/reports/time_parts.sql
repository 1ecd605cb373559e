-- Division of the time in the main part into computation, overheads, and waiting.
--
-- Time outside visits, including idle threads, is left out, so that shares agree with the profile.
--
-- Grain:      one row per part that took time
-- Inputs:     main_times, fork_join_times, overhead_classes, region_classes, call_paths, main_waits
-- Output:     report section summary
-- Parameters: none
-- Assumes:    wait states lie within the exclusive time of their call path's region; threads are
--             forked in the main part
WITH
    waited AS (
        SELECT
            region_classes.overhead_id,
            waits.is_extended,
            sum(waits.main_ns) AS wait_ns
        FROM main_waits AS waits
        INNER JOIN call_paths ON waits.call_path_id = call_paths.call_path_id
        INNER JOIN region_classes ON call_paths.region_id = region_classes.region_id
        GROUP BY region_classes.overhead_id, waits.is_extended
    ),

    -- Fork and join of a parallel region have a class of their own.
    classed AS (
        SELECT
            region_classes.overhead_id,
            main_times.time_ns - coalesce(forks.fork_join_ns, 0) AS time_ns
        FROM main_times
        INNER JOIN region_classes ON main_times.region_id = region_classes.region_id
        LEFT JOIN fork_join_times AS forks
            ON
                main_times.call_path_id = forks.call_path_id
                AND main_times.location_id = forks.location_id
        UNION ALL
        SELECT
            overhead_classes.overhead_id,
            fork_join_times.fork_join_ns AS time_ns
        FROM fork_join_times
        INNER JOIN overhead_classes ON overhead_classes.overhead_subclass = 'fork/join'
        UNION ALL
        SELECT
            overhead_id,
            -wait_ns AS time_ns
        FROM waited
    ),

    parts AS (
        SELECT
            CASE
                WHEN classes.overhead_class = 'computation' THEN 'computation'
                WHEN classes.overhead_class = 'unidentified'
                    THEN 'unidentified, ' || classes.overhead_subclass
                WHEN classes.overhead_id IN (SELECT waited.overhead_id FROM waited)
                    THEN classes.overhead_subclass || ', not waiting'
                ELSE classes.overhead_subclass::VARCHAR
            END AS part,
            sum(classed.time_ns) AS time_ns
        FROM classed
        INNER JOIN overhead_classes AS classes ON classed.overhead_id = classes.overhead_id
        GROUP BY part
        UNION ALL
        SELECT
            if(is_extended, 'extended waiting', 'waiting') AS part,
            sum(wait_ns) AS time_ns
        FROM waited
        GROUP BY is_extended
    )

SELECT
    part,
    time_ns::BIGINT AS time_ns,
    time_ns / nullif(sum(time_ns) OVER (), 0) AS time_ratio
FROM parts
WHERE time_ns <> 0
ORDER BY time_ns DESC, part
