-- Activities of a CPU thread lie end to end, from the begin to the end of the run.
--
-- Grain:      one row per stretch that does not begin where the one before ends, and per thread
--             whose stretches do not fill the run
-- Inputs:     activities, runs
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of activities
-- Assumes:    nothing
WITH
    neighbors AS (
        SELECT
            activities.location_id,
            activities.begin_ns,
            lag(activities.end_ns, 1, runs.begin_ns) OVER ordered AS expected_begin_ns,
            activities.end_ns,
            lead(activities.begin_ns, 1, runs.end_ns) OVER ordered AS expected_end_ns
        FROM activities
        CROSS JOIN runs
        WINDOW ordered AS (PARTITION BY activities.location_id ORDER BY activities.begin_ns)
    )

SELECT
    location_id,
    begin_ns,
    end_ns
FROM neighbors
WHERE begin_ns <> expected_begin_ns OR end_ns <> expected_end_ns
ORDER BY location_id, begin_ns
