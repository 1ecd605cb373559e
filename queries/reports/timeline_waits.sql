-- All wait states of a run that has few, with their causing locations.
--
-- Grain:      one row per wait
-- Inputs:     wait_states, metrics
-- Output:     report section timeline
-- Parameters: none
SELECT
    waits.location_id,
    waits.start_ns,
    waits.wait_ns,
    waits.cause_location_id,
    metrics.title AS finding,
    waits.visit_id
FROM wait_states AS waits
INNER JOIN metrics ON waits.property = metrics.metric
WHERE NOT waits.is_completion
ORDER BY waits.start_ns, waits.visit_id, waits.property
