-- Every metric per call path and thread in the units people compare: seconds, bytes, counts.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     severities, metrics, call_paths, locations
-- Output:     export severities
-- Parameters: none
-- Assumes:    nanoseconds below 2**53 keep every digit as seconds in DOUBLE
SELECT
    severities.metric,
    call_paths.path AS call_path,
    locations.rank,
    locations.thread,
    CASE
        WHEN metrics.unit = 'ns' THEN severities.value / 1e9
        ELSE severities.value::DOUBLE
    END AS value
FROM severities
INNER JOIN metrics ON severities.metric = metrics.metric
INNER JOIN call_paths ON severities.call_path_id = call_paths.call_path_id
INNER JOIN locations ON severities.location_id = locations.location_id
ORDER BY severities.metric, severities.call_path_id, severities.location_id
