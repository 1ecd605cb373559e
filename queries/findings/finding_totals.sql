-- Findings of patterns other than wait states, summed per call path and location.
--
-- Grain:      one row per property, call path and location with findings
-- Inputs:     findings
-- Needs rows: findings
-- Output:     finding_totals
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT
    property,
    call_path_id,
    location_id,
    sum(value)::BIGINT AS value,
    count(*) AS finding_count,
    min(confidence) AS confidence
FROM findings
GROUP BY property, call_path_id, location_id
ORDER BY property, call_path_id, location_id
