-- Findings of patterns other than wait states, one row for each kind.
--
-- Grain:      one row per property that was found
-- Inputs:     finding_totals, metrics, patterns, locations, call_paths, main_times
-- Output:     report section findings
-- Parameters: none
-- Assumes:    of equals, the location and the call path with the smallest number count
WITH
    found AS (
        SELECT
            property,
            sum(value)::BIGINT AS value,
            sum(finding_count)::BIGINT AS finding_count,
            count(DISTINCT location_id) AS location_count,
            min(confidence) AS confidence,
            max((value, -call_path_id, -location_id)) AS worst
        FROM finding_totals
        GROUP BY property
    ),

    own AS (
        SELECT unnest(string_split(metrics, ', ')) AS metric
        FROM patterns
        WHERE is_own
    ),

    profiled AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    found.property AS metric,
    coalesce(metrics.title, found.property) AS finding,
    coalesce(metrics.meaning, '') AS meaning,
    own.metric IS NOT NULL AS is_own,
    if(metrics.unit = 'ns', found.value, NULL) AS time_ns,
    if(metrics.unit = 'ns', found.value / nullif(profiled.total_ns, 0), NULL) AS time_ratio,
    if(metrics.unit = 'bytes', found.value, NULL) AS bytes,
    if(metrics.unit = 'occurrences', found.value, NULL) AS occurrence_count,
    found.finding_count,
    found.location_count,
    locations.rank AS worst_rank,
    call_paths.path AS call_path,
    found.confidence
FROM found
CROSS JOIN profiled
LEFT JOIN metrics ON found.property = metrics.metric
LEFT JOIN own ON found.property = own.metric
INNER JOIN call_paths ON -found.worst[2] = call_paths.call_path_id
INNER JOIN locations ON -found.worst[3] = locations.location_id
ORDER BY time_ns DESC NULLS LAST, bytes DESC NULLS LAST, occurrence_count DESC, found.property
