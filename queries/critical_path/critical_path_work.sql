-- How long every location worked at each call path, beside how long the critical path is there.
--
-- Work is time without waiting at synchronisation points. Beside the first threads, which stand for
-- their processes, members of teams count; of other threads nothing says whom they waited for.
-- What a member does from the last barrier of its team on is not counted: nobody meets it after.
--
-- Grain:      one row per call path and location that works there, if there is a critical path
-- Inputs:     call_tree, location_spans, synchronisation_points, team_barriers, team_endings,
--             critical_path_profile
-- Output:     critical_path_work
-- Parameters: none
-- Source:     Böhme, "Characterizing load and communication imbalance in parallel applications",
--             2013
-- Assumes:    synchronisation points of a location do not overlap
WITH
    path_times AS (
        SELECT
            call_path_id,
            sum(path_ns)::BIGINT AS path_ns
        FROM critical_path_profile
        GROUP BY call_path_id
    ),

    workers AS (
        SELECT location_id FROM location_spans
        WHERE is_worker AND EXISTS (FROM critical_path_profile)
    ),

    waits AS (
        SELECT
            points.call_path_id,
            points.location_id,
            sum(points.wait_ns) AS wait_ns
        FROM synchronisation_points AS points
        ANTI JOIN (FROM team_barriers WHERE is_parting) AS partings
            ON points.visit_id = partings.visit_id
        WHERE points.wait_ns > 0
        GROUP BY points.call_path_id, points.location_id
    ),

    works AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            greatest(
                call_tree.exclusive_ns
                - coalesce(team_endings.ending_ns, 0)
                - coalesce(waits.wait_ns, 0),
                0
            )::BIGINT AS work_ns,
            coalesce(path_times.path_ns, 0) AS path_ns
        FROM call_tree
        INNER JOIN workers USING (location_id)
        LEFT JOIN waits USING (call_path_id, location_id)
        LEFT JOIN team_endings USING (call_path_id, location_id)
        LEFT JOIN path_times USING (call_path_id)
    )

SELECT
    call_path_id,
    location_id,
    work_ns,
    path_ns
FROM works
WHERE work_ns > 0
ORDER BY call_path_id, location_id
