-- Visits summed per call path and location: the one pass over all visits.
--
-- Grain:      one row per call path and location that visited it
-- Inputs:     visits
-- Output:     visit_totals
-- Parameters: none
-- Source:     the definition of a profile
-- Assumes:    nothing
SELECT
    call_path_id,
    location_id,
    count(*) AS visit_count,
    sum(exclusive_ns)::BIGINT AS exclusive_ns,
    min(leave_ns - enter_ns) AS shortest_ns,
    max(leave_ns - enter_ns) AS longest_ns,
    bool_or(parent_visit_id IS NULL) AS is_start
FROM visits
GROUP BY ALL
ORDER BY call_path_id, location_id
