-- What is missing, damaged or doubtful in the trace, and where.
--
-- Grain:      one row per kind of finding and location
-- Inputs:     trace_quality, locations
-- Output:     what the command quality lists; without location: about the trace as a whole
-- Parameters: $row_limit  only the first findings (BIGINT)
SELECT
    trace_quality.kind::VARCHAR AS kind,
    trace_quality.location_id,
    locations.rank,
    locations.thread,
    locations.name AS location,
    trace_quality.count AS finding_count,
    trace_quality.time_ns,
    trace_quality.is_loss,
    trace_quality.detail
FROM trace_quality
LEFT JOIN locations USING (location_id)
ORDER BY kind, location_id NULLS FIRST
LIMIT $row_limit::BIGINT
