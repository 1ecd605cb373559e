-- Call paths that some location visited, each with the region that called it.
--
-- TASKS and THREADS are roots that are never visited themselves: what lies right below them has no
-- caller. Stubs repeat tasks and are left out.
--
-- Grain:      one row per visited call path
-- Inputs:     visit_totals, call_paths
-- Output:     visited_call_paths
-- Parameters: none
-- Source:     the definition of a call-path profile
-- Assumes:    nothing
WITH
    visited AS (
        SELECT call_paths.*
        FROM call_paths
        SEMI JOIN visit_totals USING (call_path_id)
    )

SELECT
    visited.call_path_id,
    visited.last_call_path_id,
    visited.region_id,
    callers.region_id AS caller_region_id
FROM visited
LEFT JOIN visited AS callers ON visited.parent_call_path_id = callers.call_path_id
ORDER BY visited.call_path_id
