-- The findings of a pattern, with the columns that its query leaves out.
--
-- Grain:      one row per finding
-- Inputs:     pattern_metric, pattern_result
-- Output:     the table of the pattern
-- Parameters: none
-- Source:     none
-- Assumes:    findings of zero are none; a query leaves out its only metric, what no single call or
--             location is about, and that nothing is uncertain
SELECT
    coalesce(property, (SELECT metric FROM pattern_metric)) AS property,
    call_path_id::INTEGER AS call_path_id,
    location_id::INTEGER AS location_id,
    visit_id::BIGINT AS visit_id,
    start_ns::BIGINT AS start_ns,
    value::BIGINT AS value,
    cause_location_id::INTEGER AS cause_location_id,
    cause_visit_id::BIGINT AS cause_visit_id,
    coalesce(confidence, 100)::TINYINT AS confidence
FROM (
    SELECT
        NULL::VARCHAR AS property,
        NULL AS visit_id,
        NULL AS start_ns,
        NULL AS cause_location_id,
        NULL AS cause_visit_id,
        NULL AS confidence
    WHERE FALSE
    UNION ALL BY NAME
    FROM pattern_result
)
WHERE value IS DISTINCT FROM 0
