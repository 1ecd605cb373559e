-- Classes of overhead share out the time of every location, from the run's begin to its end.
--
-- Grain:      one row per location whose sum differs
-- Inputs:     locations, location_overheads, runs
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA): every time belongs to one class
-- Assumes:    nothing
SELECT
    locations.location_id,
    coalesce(sum(location_overheads.time_ns), 0)::BIGINT AS time_ns,
    any_value(runs.end_ns - runs.begin_ns) AS run_ns
FROM locations
CROSS JOIN runs
LEFT JOIN location_overheads USING (location_id)
GROUP BY locations.location_id
HAVING time_ns <> run_ns
ORDER BY locations.location_id
