-- The total of a region is its exclusive time and the totals of its outgoing edges.
--
-- A region that is no entry has the total of its incoming edges. With a recursion, edges may hold
-- more than the region. The classes of overhead of a region sum to its total, too.
--
-- Grain:      one row per region whose total is not shared out
-- Inputs:     region_graph_nodes, region_graph_edges, region_overheads, call_paths
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    a region below itself is the only reason for more time in edges
WITH
    -- Pairs of regions of which the second is somewhere below the first, on the same chain.
    recursive_regions AS (
        SELECT DISTINCT inner_paths.region_id
        FROM call_paths AS inner_paths
        ASOF INNER JOIN call_paths AS outer_paths
            ON
                inner_paths.region_id = outer_paths.region_id
                AND inner_paths.call_path_id > outer_paths.call_path_id
        WHERE inner_paths.call_path_id <= outer_paths.last_call_path_id
    ),

    outgoing AS (
        SELECT
            caller_region_id AS region_id,
            sum(total_ns)::BIGINT AS outgoing_ns,
            sum(forked_ns)::BIGINT AS forked_ns
        FROM region_graph_edges
        GROUP BY caller_region_id
    ),

    incoming AS (
        SELECT
            callee_region_id AS region_id,
            sum(total_ns)::BIGINT AS incoming_ns
        FROM region_graph_edges
        GROUP BY callee_region_id
    ),

    classified AS (
        SELECT
            region_id,
            sum(inclusive_ns)::BIGINT AS classified_ns,
            sum(forked_ns)::BIGINT AS classified_forked_ns
        FROM region_overheads
        GROUP BY region_id
    ),

    compared AS (
        SELECT
            nodes.*,
            coalesce(outgoing.outgoing_ns, 0) AS outgoing_ns,
            coalesce(outgoing.forked_ns, 0) AS outgoing_forked_ns,
            coalesce(incoming.incoming_ns, 0) AS incoming_ns,
            coalesce(classified.classified_ns, 0) AS classified_ns,
            coalesce(classified.classified_forked_ns, 0) AS classified_forked_ns,
            (SELECT count(*) FROM recursive_regions) > 0 AS has_recursion
        FROM region_graph_nodes AS nodes
        LEFT JOIN outgoing USING (region_id)
        LEFT JOIN incoming USING (region_id)
        LEFT JOIN classified USING (region_id)
    )

SELECT
    region_id,
    total_ns,
    exclusive_ns,
    outgoing_ns,
    incoming_ns,
    classified_ns,
    forked_ns
FROM compared
WHERE
    classified_ns <> total_ns
    OR classified_forked_ns <> forked_ns
    OR total_ns > exclusive_ns + outgoing_ns
    OR (NOT is_entry AND total_ns > incoming_ns)
    OR (
        NOT has_recursion
        AND (
            total_ns <> exclusive_ns + outgoing_ns
            OR forked_ns <> outgoing_forked_ns
            OR (NOT is_entry AND total_ns <> incoming_ns)
        )
    )
ORDER BY region_id
