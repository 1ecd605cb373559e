-- Time in every call path itself: of all locations together, then of each.
--
-- Time in tasks counts in the tasks, not also where they were scheduled.
--
-- Grain:      one row per call path with time, and per location with time there
-- Inputs:     call_tree, call_paths, locations, location_groups
-- Output:     export speedscope
-- Parameters: $is_summed  all locations together only (BOOLEAN)
WITH
    timed AS (
        SELECT
            call_tree.location_id,
            call_tree.call_path_id,
            call_tree.exclusive_ns
        FROM call_tree
        INNER JOIN call_paths ON call_tree.call_path_id = call_paths.call_path_id
        WHERE
            call_paths.kind <> 'task_stub'
            AND call_tree.exclusive_ns > 0
    ),

    named AS (
        SELECT
            locations.location_id,
            location_groups.name || ', ' || locations.name AS name
        FROM locations
        INNER JOIN location_groups
            ON locations.location_group_id = location_groups.location_group_id
    ),

    profiles AS (
        SELECT
            -1 AS place,
            'all locations' AS name,
            call_path_id,
            sum(exclusive_ns)::BIGINT AS time_ns
        FROM timed
        GROUP BY call_path_id
        UNION ALL
        SELECT
            timed.location_id AS place,
            named.name,
            timed.call_path_id,
            timed.exclusive_ns AS time_ns
        FROM timed
        INNER JOIN named ON timed.location_id = named.location_id
        WHERE NOT $is_summed::BOOLEAN
    )

SELECT place, name, call_path_id, time_ns
FROM profiles
ORDER BY place, call_path_id
