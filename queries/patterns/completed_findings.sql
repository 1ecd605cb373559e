-- What a pattern found, with the columns that its query left out.
--
-- Grain:      one row per finding
-- Inputs:     pattern_template, pattern_result
-- Output:     the table of the pattern
-- Parameters: $metric  metric of rows that name none (VARCHAR)
-- Source:     none
-- Assumes:    findings of zero are none
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
