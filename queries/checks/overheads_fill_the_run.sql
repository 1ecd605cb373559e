-- The overhead classes of every location with code sum to the duration of the run.
--
-- Grain:      one row per location whose sum differs
-- Inputs:     locations, location_overheads, runs
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA): all time belongs to exactly one class
-- Assumes:    nothing
SELECT
    locations.location_id,
    coalesce(sum(location_overheads.time_ns), 0)::BIGINT AS time_ns,
    any_value(runs.end_ns - runs.begin_ns) AS run_ns
FROM locations
CROSS JOIN runs
LEFT JOIN location_overheads USING (location_id)
WHERE locations.kind <> 'metric' OR locations.visit_count > 0
GROUP BY locations.location_id
HAVING time_ns <> run_ns
ORDER BY locations.location_id
