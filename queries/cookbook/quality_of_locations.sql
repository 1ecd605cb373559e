-- How many records of each location were read, and how many are missing?
--
-- Grain:      one row per location
-- Inputs:     locations, trace_quality
-- Output:     answer
-- Parameters: none
WITH
    findings AS (
        SELECT location_id, sum(count)::BIGINT AS finding_count
        FROM trace_quality
        GROUP BY location_id
    )

SELECT
    locations.rank,
    locations.thread,
    locations.record_count,
    locations.declared_count,
    locations.is_complete,
    coalesce(findings.finding_count, 0) AS finding_count
FROM locations
LEFT JOIN findings USING (location_id)
ORDER BY locations.is_complete, finding_count DESC, locations.location_id
