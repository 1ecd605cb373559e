-- The totals of the entries of the region graph sum to the exclusive time of all visits.
--
-- An entry that is also called from another region is part of that region's total. Such a graph is
-- left out.
--
-- Grain:      one row if the sums differ
-- Inputs:     region_graph_nodes, region_graph_edges, flat_profile
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    nothing
WITH
    called_entries AS (
        SELECT nodes.region_id
        FROM region_graph_nodes AS nodes
        SEMI JOIN (SELECT callee_region_id FROM region_graph_edges WHERE total_ns <> 0) AS edges
            ON nodes.region_id = edges.callee_region_id
        WHERE nodes.is_entry
    ),

    sums AS (
        SELECT
            (SELECT coalesce(sum(total_ns), 0)::BIGINT FROM region_graph_nodes WHERE is_entry)
                AS entered_ns,
            (SELECT coalesce(sum(exclusive_ns), 0)::BIGINT FROM flat_profile) AS visited_ns
    )

SELECT
    entered_ns,
    visited_ns
FROM sums
WHERE entered_ns <> visited_ns AND NOT EXISTS (FROM called_entries)
ORDER BY entered_ns
