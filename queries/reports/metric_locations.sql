-- Locations that record metrics and no code.
--
-- Grain:      one row per metric location
-- Inputs:     locations, counter_values, counters
-- Output:     report section profile
-- Parameters: $row_limit  maximum number of locations (BIGINT)
WITH
    recorded AS (
        SELECT
            counter_values.location_id,
            counters.name,
            count(*) AS value_count
        FROM counter_values
        INNER JOIN counters ON counter_values.counter_id = counters.counter_id
        GROUP BY counter_values.location_id, counters.name
    )

SELECT
    locations.rank,
    locations.thread,
    string_agg(recorded.name, ', ' ORDER BY recorded.name) AS metrics,
    coalesce(sum(recorded.value_count), 0)::BIGINT AS value_count
FROM locations
LEFT JOIN recorded ON locations.location_id = recorded.location_id
WHERE locations.kind = 'metric'
GROUP BY locations.location_id, locations.rank, locations.thread
ORDER BY locations.location_id
LIMIT $row_limit::BIGINT
