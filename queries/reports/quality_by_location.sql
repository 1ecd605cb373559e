-- Missing, damaged or uncertain parts of the trace, per location.
--
-- Grain:      one row per kind of finding and location
-- Inputs:     trace_quality, locations
-- Output:     list of the command quality; rows without a location refer to the whole trace
-- Parameters: $row_limit  maximum number of findings (BIGINT)
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
