-- Missing, damaged or uncertain parts of the trace.
--
-- Grain:      one row per kind of finding and explanation
-- Inputs:     trace_quality
-- Output:     report section trace quality
-- Parameters: none
SELECT
    kind::VARCHAR AS kind,
    sum(count)::BIGINT AS finding_count,
    count(DISTINCT location_id) AS location_count,
    sum(time_ns)::BIGINT AS time_ns,
    is_loss,
    detail
FROM trace_quality
GROUP BY kind, is_loss, detail
ORDER BY finding_count DESC, kind, detail
