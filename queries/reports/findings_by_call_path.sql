-- Call paths with findings of patterns other than wait states.
--
-- Grain:      one row per property and call path where it was found
-- Inputs:     finding_totals, metrics, locations, call_paths, main_times
-- Output:     report section findings
-- Parameters: $row_limit  maximum number of call paths per property, worst first (BIGINT)
-- Assumes:    of equals, the location with the smallest number counts
WITH
    found AS (
        SELECT
            property,
            call_path_id,
            sum(value)::BIGINT AS value,
            sum(finding_count)::BIGINT AS finding_count,
            count(*) AS location_count,
            min(confidence) AS confidence,
            max((value, -location_id)) AS worst,
            sum(sum(value)) OVER (PARTITION BY property) AS whole_value
        FROM finding_totals
        GROUP BY property, call_path_id
        QUALIFY
            row_number() OVER (PARTITION BY property ORDER BY sum(value) DESC, call_path_id)
            <= $row_limit::BIGINT
    ),

    profiled AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    coalesce(metrics.title, found.property) AS finding,
    call_paths.path AS call_path,
    if(metrics.unit = 'ns', found.value, NULL) AS time_ns,
    if(metrics.unit = 'ns', found.value / nullif(profiled.total_ns, 0), NULL) AS time_ratio,
    if(metrics.unit = 'bytes', found.value, NULL) AS bytes,
    if(metrics.unit = 'occurrences', found.value, NULL) AS occurrence_count,
    found.finding_count,
    found.location_count,
    locations.rank AS worst_rank,
    found.confidence
FROM found
CROSS JOIN profiled
LEFT JOIN metrics ON found.property = metrics.metric
INNER JOIN call_paths ON found.call_path_id = call_paths.call_path_id
INNER JOIN locations ON -found.worst[2] = locations.location_id
ORDER BY
    metrics.unit = 'ns' DESC NULLS LAST,
    found.whole_value DESC,
    found.property,
    found.value DESC,
    found.call_path_id
