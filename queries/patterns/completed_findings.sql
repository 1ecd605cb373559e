-- Findings of a pattern, with default values for the columns that its query leaves out.
--
-- Grain:      one row per finding
-- Inputs:     pattern_template, pattern_result
-- Output:     the table of the pattern
-- Parameters: $metric  metric of rows without a property (VARCHAR)
-- Source:     none
-- Assumes:    findings with the value zero do not count
WITH
    all_columns AS (
        FROM pattern_template
        UNION ALL BY NAME
        FROM pattern_result
    )

SELECT
    coalesce(property, $metric::VARCHAR) AS property,
    call_path_id::INTEGER AS call_path_id,
    location_id::INTEGER AS location_id,
    visit_id::BIGINT AS visit_id,
    start_ns::BIGINT AS start_ns,
    value::BIGINT AS value,
    cause_location_id::INTEGER AS cause_location_id,
    cause_visit_id::BIGINT AS cause_visit_id,
    coalesce(confidence, 100)::TINYINT AS confidence
FROM all_columns
WHERE value IS DISTINCT FROM 0
ORDER BY ALL
