-- Time and visits of every region on every location.
--
-- Inclusive time comes from the call tree, where tasks and forked threads are accounted for. Of a
-- recursion only the outermost visits count, for their time includes that of the inner ones.
-- Stubs repeat tasks and are left out.
--
-- Grain:      one row per visited region and location
-- Inputs:     visit_totals, call_tree, visited_call_paths
-- Output:     flat_profile
-- Parameters: none
-- Source:     the definition of a flat profile
-- Assumes:    nothing
WITH
    -- Subtrees are nested or apart: a call path lies below an earlier one of its region if the
    -- ids of that one's subtree reach so far.
    nested AS (
        SELECT
            visited_paths.region_id,
            call_tree.location_id,
            call_tree.visit_count,
            call_tree.inclusive_ns,
            call_tree.exclusive_ns,
            visit_totals.shortest_ns,
            visit_totals.longest_ns,
            coalesce(
                max(visited_paths.last_call_path_id) OVER (
                    PARTITION BY visited_paths.region_id, call_tree.location_id
                    ORDER BY call_tree.call_path_id
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) >= call_tree.call_path_id,
                FALSE
            ) AS is_recursive
        FROM call_tree
        INNER JOIN visit_totals USING (call_path_id, location_id)
        INNER JOIN visited_call_paths AS visited_paths USING (call_path_id)
    )

SELECT
    region_id,
    location_id,
    sum(visit_count)::BIGINT AS visit_count,
    coalesce(sum(inclusive_ns) FILTER (WHERE NOT is_recursive), 0)::BIGINT AS inclusive_ns,
    sum(exclusive_ns)::BIGINT AS exclusive_ns,
    min(shortest_ns) AS shortest_ns,
    max(longest_ns) AS longest_ns
FROM nested
GROUP BY ALL
ORDER BY region_id, location_id
