-- Nodes of the dynamic region call graph: the executed regions.
--
-- Grain:      one row per executed region
-- Inputs:     flat_profile, call_paths
-- Output:     region_graph_nodes
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA), DRG = (R, E, s)
-- Assumes:    nothing
WITH
    entries AS (
        SELECT DISTINCT region_id
        FROM call_paths
        WHERE caller_region_id IS NULL
    ),

    totals AS (
        SELECT
            region_id,
            sum(visit_count)::BIGINT AS visit_count,
            sum(inclusive_ns)::BIGINT AS inclusive_ns,
            sum(exclusive_ns)::BIGINT AS exclusive_ns
        FROM flat_profile
        GROUP BY region_id
    )

SELECT
    region_id,
    visit_count,
    inclusive_ns,
    exclusive_ns,
    region_id IN (FROM entries) AS is_entry
FROM totals
ORDER BY region_id
