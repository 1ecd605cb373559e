-- Time of each location in each class of overhead.
--
-- Each location is accounted for from the first to the last record of the run, even if its own
-- records cover less. Time outside its visits can be negative if clocks disagree so that visits
-- overlap.
--
-- Grain:      one row per location and class that took time
-- Inputs:     flat_profile, fork_join_times, call_paths, region_classes, overhead_classes,
--             location_bases
-- Output:     location_overheads
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    time from the fork and to the join lies in the exclusive time of its visit
WITH
    moved AS (
        SELECT
            fork_join_times.location_id,
            unnest([region_classes.overhead_id, fork_join.overhead_id]) AS overhead_id,
            unnest([-fork_join_times.fork_join_ns, fork_join_times.fork_join_ns]) AS time_ns
        FROM fork_join_times
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN region_classes USING (region_id)
        CROSS JOIN overhead_classes AS fork_join
        WHERE fork_join.overhead_subclass = 'fork/join'
    ),

    outside AS (
        SELECT
            bases.location_id,
            bases.overhead_id,
            bases.end_ns - bases.begin_ns - coalesce(visited.time_ns, 0) AS time_ns
        FROM location_bases AS bases
        LEFT JOIN (
            SELECT
                location_id,
                sum(exclusive_ns)::BIGINT AS time_ns
            FROM flat_profile
            GROUP BY location_id
        ) AS visited USING (location_id)
    ),

    spent AS (
        SELECT
            flat_profile.location_id,
            region_classes.overhead_id,
            flat_profile.exclusive_ns AS time_ns
        FROM flat_profile
        INNER JOIN region_classes USING (region_id)
        UNION ALL
        FROM moved
        UNION ALL
        FROM outside
        UNION ALL
        SELECT
            location_id,
            outside_id,
            (run_end_ns - run_begin_ns) - (end_ns - begin_ns) AS time_ns
        FROM location_bases
    )

SELECT
    spent.location_id,
    spent.overhead_id,
    sum(spent.time_ns)::BIGINT AS time_ns,
    sum(spent.time_ns) / nullif(any_value(bases.run_end_ns - bases.run_begin_ns), 0) AS time_ratio
FROM spent
INNER JOIN location_bases AS bases USING (location_id)
GROUP BY ALL
HAVING sum(spent.time_ns) <> 0
ORDER BY spent.location_id, spent.overhead_id
