-- Flat profile over all locations: the regions with the most exclusive time.
--
-- Grain:      one row per visited region
-- Inputs:     flat_profile, main_times, setup_times, call_tree, call_paths, regions,
--             locations
-- Output:     report section profile
-- Parameters: $row_limit  maximum number of regions, most time first (BIGINT)
-- Assumes:    of equals, the region and the location with the smallest number count
WITH
    timed AS (
        SELECT
            region_id,
            location_id,
            sum(time_ns) AS time_ns
        FROM main_times
        GROUP BY region_id, location_id
    ),

    -- One row per region and location; place 1 has the most time in the region.
    placed AS (
        SELECT
            flat_profile.* REPLACE (coalesce(timed.time_ns, 0) AS exclusive_ns),
            locations.rank,
            locations.thread,
            row_number() OVER (
                PARTITION BY flat_profile.region_id
                ORDER BY coalesce(timed.time_ns, 0) DESC, flat_profile.location_id
            ) AS place
        FROM flat_profile
        LEFT JOIN timed USING (region_id, location_id)
        INNER JOIN locations ON flat_profile.location_id = locations.location_id
    ),

    -- Time outside the main part, at each call path and below it.
    below AS (
        SELECT
            call_paths.call_path_id,
            call_paths.region_id,
            setup_times.location_id,
            sum(setup_times.time_ns) AS inclusive_ns
        FROM setup_times
        INNER JOIN call_paths
            ON
                setup_times.call_path_id
                BETWEEN call_paths.call_path_id AND call_paths.last_call_path_id
        WHERE call_paths.kind <> 'task_stub'
        GROUP BY call_paths.call_path_id, call_paths.region_id, setup_times.location_id
    ),

    -- Of recursive calls only the outermost visits count, as in flat_profile.
    setups AS (
        SELECT
            below.region_id,
            sum(below.inclusive_ns) AS inclusive_ns
        FROM below
        INNER JOIN call_tree
            ON
                below.call_path_id = call_tree.call_path_id
                AND below.location_id = call_tree.location_id
        WHERE
            NOT call_tree.is_recursive
            AND (call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL)
        GROUP BY below.region_id
    ),

    summed AS (
        SELECT
            region_id,
            sum(exclusive_ns) AS exclusive_ns,
            sum(inclusive_ns) AS inclusive_ns,
            sum(visit_count) AS visit_count,
            count(*) AS location_count,
            max(longest_ns) AS longest_ns,
            max(exclusive_ns) AS worst_ns,
            any_value(rank) FILTER (WHERE place = 1) AS worst_rank,
            any_value(thread) FILTER (WHERE place = 1) AS worst_thread
        FROM placed
        GROUP BY region_id
    )

SELECT
    regions.name AS region,
    CASE regions.paradigm
        WHEN 'mpi' THEN 'MPI'
        WHEN 'openmp' THEN 'OpenMP'
        ELSE regions.paradigm::VARCHAR
    END AS paradigm,
    summed.exclusive_ns::BIGINT AS exclusive_ns,
    summed.exclusive_ns / nullif(sum(summed.exclusive_ns) OVER (), 0) AS exclusive_ratio,
    (summed.inclusive_ns - coalesce(setups.inclusive_ns, 0))::BIGINT AS inclusive_ns,
    summed.visit_count::BIGINT AS visit_count,
    summed.location_count,
    summed.worst_rank,
    summed.worst_thread,
    summed.worst_ns,
    summed.longest_ns
FROM summed
INNER JOIN regions ON summed.region_id = regions.region_id
LEFT JOIN setups ON summed.region_id = setups.region_id
ORDER BY summed.exclusive_ns DESC, summed.region_id
LIMIT $row_limit::BIGINT
