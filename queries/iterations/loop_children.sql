-- Calls in which iterations are searched: children of the longest visit of a call path on each
-- process.
--
-- Only call paths count that all processes visit, that call some region repeatedly, and whose
-- longest visits last at least 0.3 of the main part; null is the root. MPI_Init and MPI_Finalize
-- are left out. If a head is named, these are the calls with the same caller as its outermost
-- visits. If the run does not have every visit (runs.detail), there are none.
--
-- Grain:      one row per call
-- Inputs:     visits, call_tree, call_paths, regions, locations, mpi_call_paths, main_part, runs
-- Output:     loop_children
-- Parameters: $iteration_head  region or call path that begins every iteration; without it,
--                              iterations are searched (VARCHAR, default '')
-- Source:     none
-- Assumes:    the first thread of a process calls everything else
WITH
    first_threads AS (
        SELECT location_id, location_group_id
        FROM locations
        WHERE thread = 0 AND kind = 'cpu_thread' AND visit_count > 0
    ),

    processes AS (SELECT count(*) AS process_count FROM first_threads),

    named AS (
        SELECT call_paths.call_path_id, call_paths.last_call_path_id
        FROM call_paths
        INNER JOIN regions USING (region_id)
        WHERE
            $iteration_head::VARCHAR <> ''
            AND $iteration_head::VARCHAR IN (regions.name, call_paths.path)
    ),

    heads AS (
        SELECT visits.visit_id, visits.parent_visit_id, visits.location_id
        FROM visits
        SEMI JOIN first_threads USING (location_id)
        INNER JOIN named USING (call_path_id)
        ANTI JOIN named AS outer_paths
            ON
                named.call_path_id > outer_paths.call_path_id
                AND named.call_path_id <= outer_paths.last_call_path_id
    ),

    -- Callers of regions (-1: the root) that a process repeats.
    repeating AS (
        SELECT DISTINCT coalesce(parent_call_path_id, -1) AS caller_id
        FROM (
            SELECT
                call_paths.parent_call_path_id,
                call_paths.region_id,
                call_tree.location_id,
                sum(call_tree.visit_count) AS visit_count
            FROM call_tree
            SEMI JOIN first_threads USING (location_id)
            INNER JOIN call_paths USING (call_path_id)
            WHERE call_tree.visit_count > 0
            GROUP BY ALL
        )
        WHERE visit_count > 1
    ),

    -- Callers that may cover enough of the main part: no visit lasts longer than the longest one.
    callers AS (
        SELECT call_tree.call_path_id
        FROM call_tree
        SEMI JOIN first_threads USING (location_id)
        SEMI JOIN repeating ON call_tree.call_path_id = repeating.caller_id
        CROSS JOIN main_part
        WHERE $iteration_head::VARCHAR = '' AND call_tree.visit_count > 0
        GROUP BY call_tree.call_path_id
        HAVING
            count(*) = (SELECT process_count FROM processes)
            AND sum(call_tree.longest_ns) >= 0.3 * sum(main_part.end_ns - main_part.begin_ns)
    ),

    longest AS (
        SELECT
            visits.location_id,
            visits.call_path_id,
            arg_min(visits.visit_id, (visits.enter_ns - visits.leave_ns, visits.visit_id))
                AS visit_id
        FROM visits
        SEMI JOIN first_threads USING (location_id)
        SEMI JOIN callers USING (call_path_id)
        GROUP BY visits.location_id, visits.call_path_id
    ),

    -- Visit -1 stands for the root of a location.
    bodies AS (
        SELECT location_id, visit_id, call_path_id
        FROM longest
        UNION ALL
        SELECT location_id, -1, NULL
        FROM first_threads
        WHERE
            $iteration_head::VARCHAR = ''
            AND -1 IN (SELECT caller_id FROM repeating)
        UNION ALL
        SELECT DISTINCT heads.location_id, coalesce(heads.parent_visit_id, -1), NULL::INTEGER
        FROM heads
    )

SELECT
    bodies.call_path_id,
    first_threads.location_group_id,
    visits.visit_id,
    visits.region_id,
    visits.enter_ns,
    visits.leave_ns,
    visits.visit_id IN (SELECT heads.visit_id FROM heads) AS is_head
FROM visits
INNER JOIN first_threads USING (location_id)
INNER JOIN bodies
    ON
        visits.location_id = bodies.location_id
        AND coalesce(visits.parent_visit_id, -1) = bodies.visit_id
ANTI JOIN (SELECT call_path_id FROM mpi_call_paths WHERE is_setup) AS setups
    ON visits.call_path_id = setups.call_path_id
WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.detail <> 'full')
ORDER BY bodies.call_path_id, first_threads.location_group_id, visits.visit_id
