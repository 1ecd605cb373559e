-- Time and visits of every call path on every location.
--
-- Ids of call paths run depth first, so what lies below one is the range up to its last id, and
-- inclusive time is a difference of running sums:
--
--     id  last  exclusive  running  inclusive
--     0   3     10          10      100 -  0 = 100      main
--     1   2     20          30       60 - 10 =  50      ├── solve
--     2   2     30          60       60 - 30 =  30      │   └── MPI_Recv
--     3   3     40         100      100 - 60 =  40      └── write
--
-- A worker thread does not visit the call paths above its parallel region, but spends time below
-- them. Stubs repeat the tasks that ran inside a scheduling point: their time is part of its
-- inclusive time, and once more that of the tasks below TASKS.
--
-- Grain:      one row per call path and location with visits at or below it
-- Inputs:     visit_totals, task_fragments, call_paths
-- Output:     call_tree
-- Parameters: none
-- Source:     the definition of a call-path profile
-- Assumes:    nothing
WITH
    stubs AS (
        SELECT
            call_path_id,
            location_id,
            count(*) FILTER (WHERE is_first) AS visit_count,
            sum(end_ns - begin_ns)::BIGINT AS exclusive_ns
        FROM task_fragments
        GROUP BY ALL
    ),

    -- Where a location may start below call paths that it does not visit itself.
    starts AS (
        SELECT
            starting.call_path_id,
            starting.location_id
        FROM (
            SELECT call_path_id, location_id FROM visit_totals
            WHERE is_start
            UNION ALL
            SELECT call_path_id, location_id FROM stubs
        ) AS starting
        INNER JOIN call_paths USING (call_path_id)
        WHERE call_paths.parent_call_path_id IS NOT NULL
    ),

    -- The last start up to the end of a subtree lies in it, or none does.
    callers AS (
        SELECT
            call_paths.call_path_id,
            call_paths.last_call_path_id
        FROM call_paths
        ASOF INNER JOIN (SELECT DISTINCT call_path_id FROM starts) AS start_paths
            ON call_paths.last_call_path_id >= start_paths.call_path_id
        WHERE call_paths.call_path_id < start_paths.call_path_id
    ),

    unvisited AS (
        SELECT
            callers.call_path_id,
            locations.location_id,
            0 AS visit_count,
            0 AS exclusive_ns
        FROM callers
        CROSS JOIN (SELECT DISTINCT location_id FROM starts) AS locations
        ASOF INNER JOIN starts AS last_starts
            ON
                locations.location_id = last_starts.location_id
                AND callers.last_call_path_id >= last_starts.call_path_id
        ANTI JOIN visit_totals
            ON
                callers.call_path_id = visit_totals.call_path_id
                AND locations.location_id = visit_totals.location_id
        WHERE callers.call_path_id < last_starts.call_path_id
    ),

    nodes AS (
        SELECT call_path_id, location_id, visit_count, exclusive_ns FROM visit_totals
        UNION ALL
        FROM stubs
        UNION ALL
        FROM unvisited
    ),

    -- One sum over all locations: differences are only taken within one.
    running AS (
        SELECT
            *,
            sum(exclusive_ns) OVER (
                ORDER BY location_id, call_path_id ROWS UNBOUNDED PRECEDING
            ) AS running_ns
        FROM nodes
    ),

    subtrees AS (
        SELECT
            running.*,
            call_paths.last_call_path_id
        FROM running
        INNER JOIN call_paths USING (call_path_id)
    )

SELECT
    subtrees.call_path_id,
    subtrees.location_id,
    subtrees.visit_count,
    (last_nodes.running_ns - subtrees.running_ns + subtrees.exclusive_ns)::BIGINT AS inclusive_ns,
    subtrees.exclusive_ns
FROM subtrees
ASOF INNER JOIN running AS last_nodes
    ON
        subtrees.location_id = last_nodes.location_id
        AND subtrees.last_call_path_id >= last_nodes.call_path_id
ORDER BY subtrees.call_path_id, subtrees.location_id
