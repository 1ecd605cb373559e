-- The overhead classes of every location sum to the duration of the run.
--
-- Grain:      one row per location whose sum differs
-- Inputs:     location_bases, location_overheads, runs
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA): all time belongs to exactly one class
-- Assumes:    nothing
SELECT
    location_bases.location_id,
    coalesce(sum(location_overheads.time_ns), 0)::BIGINT AS time_ns,
    any_value(runs.end_ns - runs.begin_ns) AS run_ns
FROM location_bases
CROSS JOIN runs
LEFT JOIN location_overheads USING (location_id)
GROUP BY location_bases.location_id
HAVING time_ns <> run_ns
ORDER BY location_bases.location_id
