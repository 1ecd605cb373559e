-- Nodes of the dynamic region call graph: the regions that were executed.
--
-- Grain:      one row per executed region
-- Inputs:     flat_profile, visit_totals, call_paths
-- Output:     region_graph_nodes
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA), DRG = (R, E, s)
-- Assumes:    nothing
WITH
    visited_paths AS (
        SELECT DISTINCT call_path_id FROM visit_totals
    ),

    -- TASKS and THREADS are roots that are never visited themselves.
    entries AS (
        SELECT DISTINCT call_paths.region_id
        FROM call_paths
        SEMI JOIN visited_paths USING (call_path_id)
        ANTI JOIN visited_paths AS callers
            ON call_paths.parent_call_path_id = callers.call_path_id
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
