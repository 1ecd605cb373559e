-- Which ranks do the others wait for?
--
-- Grain:      one row per location that is waited for
-- Inputs:     wait_states, locations
-- Output:     answer
-- Parameters: none
SELECT
    locations.rank,
    locations.thread,
    count(*) AS wait_count,
    count(DISTINCT waits.location_id) AS victim_count,
    sum(waits.wait_ns) / 1e9 AS wait_seconds
FROM wait_states AS waits
INNER JOIN locations ON waits.cause_location_id = locations.location_id
WHERE NOT waits.is_completion
GROUP BY locations.rank, locations.thread, locations.location_id
ORDER BY wait_seconds DESC, locations.location_id
