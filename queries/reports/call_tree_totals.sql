-- The call tree summed over all locations, from the root down, without the smallest branches.
--
-- Grain:      one row per call path
-- Inputs:     call_tree, call_paths, regions, flat_profile
-- Output:     report section call tree
-- Parameters: $row_limit  maximum number of call paths, largest inclusive time first (BIGINT)
-- Assumes:    a caller has at least the inclusive time of its callees, so no branch loses its root
WITH
    summed AS (
        SELECT
            call_path_id,
            sum(inclusive_ns) AS inclusive_ns,
            sum(exclusive_ns) AS exclusive_ns,
            sum(visit_count) AS visit_count
        FROM call_tree
        GROUP BY call_path_id
    ),

    -- Task stubs repeat the time of tasks and are left out.
    whole AS (SELECT sum(exclusive_ns) AS total_ns FROM flat_profile),

    largest AS (
        SELECT *
        FROM summed
        ORDER BY inclusive_ns DESC, call_path_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    regions.name AS region,
    call_paths.kind::VARCHAR AS kind,
    largest.inclusive_ns::BIGINT AS inclusive_ns,
    largest.inclusive_ns / nullif(whole.total_ns, 0) AS inclusive_ratio,
    largest.exclusive_ns::BIGINT AS exclusive_ns,
    largest.visit_count::BIGINT AS visit_count,
    call_paths.depth,
    largest.call_path_id
FROM largest
CROSS JOIN whole
INNER JOIN call_paths ON largest.call_path_id = call_paths.call_path_id
INNER JOIN regions ON call_paths.region_id = regions.region_id
ORDER BY largest.call_path_id
