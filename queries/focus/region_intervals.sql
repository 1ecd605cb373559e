-- Intervals in which locations are in a region or call path, or in work that was forked within.
--
-- Forked work has call paths below the one that forked it, so on every location the outermost
-- visits count of those at or below the chosen call paths. A parallel region lasts from the fork to
-- the join of its team.
--
-- Grain:      one row per outermost visit
-- Inputs:     visits, call_paths, regions, parallel_visits
-- Output:     intervals of a focus
-- Parameters: $region  name of the region, or call path (VARCHAR)
-- Assumes:    call paths are numbered depth first, so that a subtree is a range of ids
WITH
    chosen AS (
        SELECT call_paths.call_path_id, call_paths.last_call_path_id
        FROM call_paths
        INNER JOIN regions USING (region_id)
        WHERE $region::VARCHAR IN (regions.name, call_paths.path)
    ),

    inside AS (
        SELECT
            call_paths.call_path_id,
            count(*) = 1 AND bool_or(call_paths.call_path_id = chosen.call_path_id) AS is_outermost
        FROM call_paths
        INNER JOIN chosen
            ON call_paths.call_path_id BETWEEN chosen.call_path_id AND chosen.last_call_path_id
        GROUP BY call_paths.call_path_id
    )

SELECT
    visits.location_id,
    coalesce(parallel_visits.fork_ns, visits.enter_ns) AS begin_ns,
    coalesce(parallel_visits.join_ns, visits.leave_ns) AS end_ns
FROM visits
INNER JOIN inside USING (call_path_id)
LEFT JOIN parallel_visits ON visits.visit_id = parallel_visits.visit_id
WHERE visits.parent_visit_id IS NULL OR inside.is_outermost
ORDER BY visits.visit_id
