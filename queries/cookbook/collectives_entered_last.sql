-- Which rank enters collectives last, and how long have the others been waiting by then?
--
-- Grain:      one row per rank that was the last to enter a collective
-- Inputs:     collective_members, locations
-- Output:     answer
-- Parameters: none
-- Assumes:    if several ranks enter last at the same time, the lowest is shown
WITH
    instances AS (
        SELECT
            collective_id,
            arg_max(location_id, (enter_ns, -location_id)) AS location_id,
            sum((max_enter_ns - enter_ns)) / 1e9 AS seconds
        FROM (
            SELECT *, max(enter_ns) OVER (PARTITION BY collective_id) AS max_enter_ns
            FROM collective_members
        )
        GROUP BY collective_id
        HAVING count(*) > 1
    )

SELECT
    locations.rank,
    locations.thread,
    count(*) AS collective_count,
    sum(instances.seconds) AS seconds_of_others
FROM instances
INNER JOIN locations USING (location_id)
GROUP BY locations.rank, locations.thread, locations.location_id
ORDER BY seconds_of_others DESC, locations.location_id
