-- The waits that a pattern finds, with the columns that its query leaves out.
--
-- Grain:      one row per visit and property that lost time in it
-- Inputs:     pattern_metric, pattern_result
-- Output:     the table of the pattern
-- Parameters: none
-- Source:     none
-- Assumes:    a query leaves out what is the same for all its waits: its only metric; no message or
--             collective; data was carried; Scalasca looks for it, too; nothing is uncertain
SELECT
    coalesce(property, (SELECT metric FROM pattern_metric)) AS property,
    location_id::INTEGER AS location_id,
    visit_id::BIGINT AS visit_id,
    call_path_id::INTEGER AS call_path_id,
    start_ns::BIGINT AS start_ns,
    wait_ns::BIGINT AS wait_ns,
    cause_location_id::INTEGER AS cause_location_id,
    cause_visit_id::BIGINT AS cause_visit_id,
    message_id::BIGINT AS message_id,
    collective_id::BIGINT AS collective_id,
    coalesce(is_synchronization, FALSE) AS is_synchronization,
    coalesce(is_extended, FALSE) AS is_extended,
    coalesce(confidence, 100)::TINYINT AS confidence
FROM (
    SELECT
        NULL::VARCHAR AS property,
        NULL AS message_id,
        NULL AS collective_id,
        NULL::BOOLEAN AS is_synchronization,
        NULL::BOOLEAN AS is_extended,
        NULL AS confidence
    WHERE FALSE
    UNION ALL BY NAME
    FROM pattern_result
)
