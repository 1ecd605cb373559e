-- Missing, damaged or uncertain parts of the trace.
--
-- Grain:      one row per kind of finding and explanation
-- Inputs:     trace_quality, runs, locations
-- Needs rows: trace_quality
-- Output:     report section trace quality
-- Parameters: none
WITH
    whole AS (
        SELECT
            count(*) * any_value(runs.end_ns - runs.begin_ns) AS time_ns
        FROM locations
        CROSS JOIN runs
        WHERE locations.kind NOT IN ('gpu', 'metric')
    )

SELECT
    kind::VARCHAR AS kind,
    sum(count)::BIGINT AS finding_count,
    count(DISTINCT location_id) AS location_count,
    sum(trace_quality.time_ns)::BIGINT AS time_ns,
    sum(trace_quality.time_ns) / nullif(any_value(whole.time_ns), 0) AS run_ratio,
    is_loss,
    detail
FROM trace_quality
CROSS JOIN whole
GROUP BY kind, is_loss, detail
ORDER BY finding_count DESC, kind, detail
