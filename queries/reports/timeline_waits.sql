-- All wait states of a run that has few, with their causing locations.
--
-- finding_number is the place of the finding by name, for fast sorting.
--
-- Grain:      one row per wait
-- Inputs:     wait_states, metrics
-- Output:     report section timeline
-- Parameters: none
WITH
    numbered AS (
        SELECT metric, title, row_number() OVER (ORDER BY metric) AS finding_number
        FROM metrics
    )

SELECT
    waits.location_id,
    waits.start_ns,
    waits.wait_ns,
    waits.cause_location_id,
    numbered.title AS finding,
    waits.visit_id,
    numbered.finding_number
FROM wait_states AS waits
INNER JOIN numbered ON waits.property = numbered.metric
WHERE NOT waits.is_completion
