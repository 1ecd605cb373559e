-- The call tree summed over all locations, from the root down, without the smallest branches.
--
-- Grain:      one row per call path
-- Inputs:     call_path_totals, call_paths, regions, source_locations, setup_times, main_times
-- Output:     report section call tree
-- Parameters: $row_limit  maximum number of call paths, largest inclusive time first (BIGINT)
-- Assumes:    a caller has at least the inclusive time of its callees, so no branch loses its root
WITH
    -- Time outside the main part, at each call path and below it.
    setups AS (
        SELECT
            call_paths.call_path_id,
            sum(setup_times.time_ns) AS inclusive_ns,
            coalesce(
                sum(setup_times.time_ns)
                FILTER (WHERE setup_times.call_path_id = call_paths.call_path_id),
                0
            ) AS exclusive_ns
        FROM setup_times
        INNER JOIN call_paths
            ON
                setup_times.call_path_id
                BETWEEN call_paths.call_path_id AND call_paths.last_call_path_id
        GROUP BY call_paths.call_path_id
    ),

    whole AS (SELECT sum(time_ns) AS total_ns FROM main_times),

    largest AS (
        SELECT
            totals.call_path_id,
            totals.inclusive_ns - coalesce(setups.inclusive_ns, 0) AS inclusive_ns,
            totals.exclusive_ns - coalesce(setups.exclusive_ns, 0) AS exclusive_ns,
            totals.visit_count
        FROM call_path_totals AS totals
        LEFT JOIN setups ON totals.call_path_id = setups.call_path_id
        ORDER BY inclusive_ns DESC, totals.call_path_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    regions.name || coalesce(
        ' @' || parse_filename(source_locations.file) || ':' || source_locations.line, ''
    ) AS region,
    call_paths.kind::VARCHAR AS kind,
    largest.inclusive_ns::BIGINT AS inclusive_ns,
    largest.inclusive_ns / nullif(whole.total_ns, 0) AS inclusive_ratio,
    largest.exclusive_ns::BIGINT AS exclusive_ns,
    largest.visit_count::BIGINT AS visit_count,
    call_paths.depth,
    largest.call_path_id,
    -- The caller, whose line the row above has, does not count.
    coalesce(
        source_locations.file || ':' || source_locations.line,
        regions.file || ':' || regions.begin_line
    ) AS source
FROM largest
CROSS JOIN whole
INNER JOIN call_paths ON largest.call_path_id = call_paths.call_path_id
INNER JOIN regions ON call_paths.region_id = regions.region_id
LEFT JOIN source_locations
    ON call_paths.source_location_id = source_locations.source_location_id
ORDER BY largest.call_path_id
