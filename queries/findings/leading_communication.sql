-- Communication operation with the most time, and the one with the most calls.
--
-- Operations are distinguished by the name of the call. Of equals, the first in alphabetical order
-- leads.
--
-- Grain:      one row per property, call path of its operation and location
-- Inputs:     operation_calls
-- Needs rows: operation_calls
-- Output:     leading_communication
-- Parameters: none
-- Pattern:    finding
-- Metrics:    dominating_communication, frequent_communication
-- Source:     Wolf and Mohr (EXPERT): dominating and most frequent communication
-- Assumes:    as for operation_calls
WITH
    communication AS (SELECT * FROM operation_calls WHERE kind = 'communication'),

    operations AS (
        SELECT
            operation,
            sum(time_ns) AS time_ns,
            sum(visit_count) AS visit_count
        FROM communication
        GROUP BY operation
    ),

    leaders AS (
        SELECT
            first(operation ORDER BY time_ns DESC, operation) AS dominating,
            first(operation ORDER BY visit_count DESC, operation) AS frequent
        FROM operations
    ),

    leading_calls AS (
        SELECT
            'dominating_communication' AS property,
            communication.*,
            communication.time_ns AS value
        FROM communication
        INNER JOIN leaders ON communication.operation = leaders.dominating
        WHERE communication.time_ns > 0
        UNION ALL
        SELECT
            'frequent_communication' AS property,
            communication.*,
            communication.visit_count AS value
        FROM communication
        INNER JOIN leaders ON communication.operation = leaders.frequent
    )

SELECT
    property,
    call_path_id,
    location_id,
    value,
    if(is_complete, 100, 75) AS confidence
FROM leading_calls
