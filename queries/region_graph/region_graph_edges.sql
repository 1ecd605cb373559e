-- Edges of the dynamic region call graph: which region was called inside which.
--
-- A recursion is an edge from a region to itself. Where an edge is repeated below itself, only the
-- outermost time counts as inclusive. Stubs repeat tasks and are left out.
--
-- Grain:      one row per pair of regions of which the first called the second
-- Inputs:     call_tree, visit_totals, visited_call_paths
-- Output:     region_graph_edges
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA), DRG = (R, E, s)
-- Assumes:    nothing
WITH
    called AS (
        SELECT
            call_path_id,
            last_call_path_id,
            caller_region_id,
            region_id AS callee_region_id
        FROM visited_call_paths
        WHERE caller_region_id IS NOT NULL
    ),

    nested AS (
        SELECT
            called.caller_region_id,
            called.callee_region_id,
            call_tree.visit_count,
            call_tree.inclusive_ns,
            call_tree.exclusive_ns,
            coalesce(
                max(called.last_call_path_id) OVER (
                    PARTITION BY
                        called.caller_region_id,
                        called.callee_region_id,
                        call_tree.location_id
                    ORDER BY call_tree.call_path_id
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) >= call_tree.call_path_id,
                FALSE
            ) AS is_recursive
        FROM call_tree
        SEMI JOIN visit_totals USING (call_path_id, location_id)
        INNER JOIN called USING (call_path_id)
    )

SELECT
    caller_region_id,
    callee_region_id,
    sum(visit_count)::BIGINT AS visit_count,
    coalesce(sum(inclusive_ns) FILTER (WHERE NOT is_recursive), 0)::BIGINT AS inclusive_ns,
    sum(exclusive_ns)::BIGINT AS exclusive_ns
FROM nested
GROUP BY ALL
ORDER BY caller_region_id, callee_region_id
