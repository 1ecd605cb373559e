-- Times and visits of call paths, summed over all locations.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per call path with visits at or below it
-- Inputs:     call_tree
-- Output:     call_path_totals
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT
    COLUMNS('^(run_id|call_path_id)$'),
    sum(visit_count)::BIGINT AS visit_count,
    sum(inclusive_ns)::BIGINT AS inclusive_ns,
    sum(exclusive_ns)::BIGINT AS exclusive_ns
FROM call_tree
GROUP BY ALL
