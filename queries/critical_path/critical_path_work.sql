-- How long every process worked at each call path, beside how long the critical path is there.
--
-- Work is time without waiting at synchronisation points. Only a first thread stands for its
-- process: of others nothing says whom they waited for.
--
-- Grain:      one row per call path and process that works there, if there is a critical path
-- Inputs:     call_tree, location_spans, synchronisation_points, critical_path_profile
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

    processes AS (
        SELECT location_id FROM location_spans
        WHERE is_process AND EXISTS (FROM critical_path_profile)
    ),

    waits AS (
        SELECT
            call_path_id,
            location_id,
            sum(wait_ns) AS wait_ns
        FROM synchronisation_points
        WHERE wait_ns > 0
        GROUP BY call_path_id, location_id
    ),

    works AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            greatest(call_tree.exclusive_ns - coalesce(waits.wait_ns, 0), 0)::BIGINT AS work_ns,
            coalesce(path_times.path_ns, 0) AS path_ns
        FROM call_tree
        INNER JOIN processes USING (location_id)
        LEFT JOIN waits USING (call_path_id, location_id)
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
