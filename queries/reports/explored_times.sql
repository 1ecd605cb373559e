-- Visits of call paths and their time for exploration.
--
-- Grain:      one row per call path and location; fork and join of a parallel region apart, with
--             the overhead class that replaces that of the call path
-- Inputs:     call_tree, fork_join_times, overhead_classes
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    the run has the call paths and locations
SELECT
    call_tree.call_path_id,
    call_tree.location_id,
    NULL AS overhead_id,
    call_tree.visit_count,
    call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL AS is_visited,
    call_tree.exclusive_ns - coalesce(forked.fork_join_ns, 0) AS own_ns,
    call_tree.inclusive_ns
FROM call_tree
LEFT JOIN fork_join_times AS forked
    ON
        call_tree.call_path_id = forked.call_path_id
        AND call_tree.location_id = forked.location_id
UNION ALL
SELECT
    forked.call_path_id,
    forked.location_id,
    overhead_classes.overhead_id,
    0 AS visit_count,
    FALSE AS is_visited,
    forked.fork_join_ns AS own_ns,
    0 AS inclusive_ns
FROM fork_join_times AS forked
INNER JOIN overhead_classes ON overhead_classes.overhead_subclass = 'fork/join'
