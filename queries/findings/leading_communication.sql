-- Which operation of communication takes most time, and which is called most often.
--
-- Operations are told apart by the name of the call. Of equals, the first in the alphabet leads.
--
-- Grain:      one row per property, call path of its operation and location
-- Inputs:     call_tree, call_paths, regions, region_classes, overhead_classes, mpi_calls,
--             locations
-- Output:     leading_communication
-- Parameters: none
-- Pattern:    finding
-- Metrics:    dominating_communication "Dominating Communication", part of communication_cost:
--             Time of the operation of communication that takes most time.
--             frequent_communication "Most Frequent Communication", in occurrences: Calls of the
--             operation of communication that is called most often.
-- Source:     Wolf and Mohr (EXPERT): dominating and most frequent communication
-- Assumes:    the rules of overhead_classes say which calls communicate
WITH
    communication AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            call_tree.exclusive_ns,
            call_tree.visit_count,
            coalesce(mpi_calls.call, regions.name) AS operation
        FROM call_tree
        INNER JOIN call_paths ON call_tree.call_path_id = call_paths.call_path_id
        INNER JOIN regions ON call_paths.region_id = regions.region_id
        INNER JOIN region_classes ON call_paths.region_id = region_classes.region_id
        INNER JOIN overhead_classes ON region_classes.overhead_id = overhead_classes.overhead_id
        LEFT JOIN mpi_calls ON call_paths.region_id = mpi_calls.region_id
        WHERE
            overhead_classes.overhead_subclass IN ('point-to-point', 'collective', 'put/get')
            AND call_paths.kind <> 'task_stub'
            AND call_tree.visit_count > 0
    ),

    operations AS (
        SELECT
            operation,
            sum(exclusive_ns) AS time_ns,
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

    led AS (
        SELECT
            'dominating_communication' AS property,
            communication.call_path_id,
            communication.location_id,
            communication.exclusive_ns AS value
        FROM communication
        INNER JOIN leaders ON communication.operation = leaders.dominating
        WHERE communication.exclusive_ns > 0
        UNION ALL
        SELECT
            'frequent_communication' AS property,
            communication.call_path_id,
            communication.location_id,
            communication.visit_count AS value
        FROM communication
        INNER JOIN leaders ON communication.operation = leaders.frequent
    )

SELECT
    led.property,
    led.call_path_id,
    led.location_id,
    NULL::BIGINT AS visit_id,
    NULL::BIGINT AS start_ns,
    led.value,
    NULL::INTEGER AS cause_location_id,
    NULL::BIGINT AS cause_visit_id,
    if(locations.is_complete, 100, 75)::TINYINT AS confidence
FROM led
INNER JOIN locations ON led.location_id = locations.location_id
ORDER BY led.property, led.call_path_id, led.location_id
