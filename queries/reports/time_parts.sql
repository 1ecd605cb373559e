-- Division of the time in visits into computation, overheads, and waiting.
--
-- Time outside visits, including idle threads, is left out, so that shares agree with the profile.
--
-- Grain:      one row per part that took time
-- Inputs:     overheads, overhead_classes, region_classes, call_paths, wait_states
-- Output:     report section summary
-- Parameters: none
-- Assumes:    wait states lie within the exclusive time of their call path's region
WITH
    waited AS (
        SELECT
            region_classes.overhead_id,
            wait_states.is_extended,
            sum(wait_states.wait_ns) AS wait_ns
        FROM wait_states
        INNER JOIN call_paths ON wait_states.call_path_id = call_paths.call_path_id
        INNER JOIN region_classes ON call_paths.region_id = region_classes.region_id
        WHERE NOT wait_states.is_completion
        GROUP BY region_classes.overhead_id, wait_states.is_extended
    ),

    waited_in_class AS (
        SELECT overhead_id, sum(wait_ns) AS wait_ns
        FROM waited
        GROUP BY overhead_id
    ),

    parts AS (
        SELECT
            CASE
                WHEN classes.overhead_class = 'computation' THEN 'computation'
                WHEN classes.overhead_class = 'unidentified'
                    THEN 'unidentified, ' || classes.overhead_subclass
                WHEN waited_in_class.wait_ns > 0
                    THEN classes.overhead_subclass || ', not waiting'
                ELSE classes.overhead_subclass::VARCHAR
            END AS part,
            overheads.time_ns - coalesce(waited_in_class.wait_ns, 0) AS time_ns
        FROM overheads
        INNER JOIN overhead_classes AS classes ON overheads.overhead_id = classes.overhead_id
        LEFT JOIN waited_in_class ON overheads.overhead_id = waited_in_class.overhead_id
        WHERE classes.overhead_subclass NOT IN ('outside visits', 'idle threads')
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
