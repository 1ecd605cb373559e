-- What communication, synchronisation and I/O cost: the time of all such calls.
--
-- Grain:      one row per kind of operation, call path and location that took time
-- Inputs:     call_tree, fork_join_times, call_paths, region_classes, overhead_classes, locations
-- Output:     operation_costs
-- Parameters: none
-- Pattern:    finding
-- Metrics:    communication_cost "Communication Cost": Time in calls that move data between
--             processes: messages, collectives, one-sided access.
--             synchronisation_cost "Synchronisation Cost": Time in barriers, locks and other calls
--             that only keep locations in step.
--             io_cost "I/O Cost": Time in calls that open, read, write or close files.
-- Source:     Wolf and Mohr (EXPERT): communication, synchronisation, I/O
-- Assumes:    the rules of overhead_classes say which calls are which
WITH
    kinds AS (
        SELECT
            overhead_id,
            CASE
                WHEN overhead_subclass IN ('point-to-point', 'collective', 'put/get')
                    THEN 'communication_cost'
                WHEN overhead_class = 'synchronisation' THEN 'synchronisation_cost'
                WHEN overhead_subclass = 'I/O' THEN 'io_cost'
            END AS property
        FROM overhead_classes
    )

SELECT
    kinds.property,
    call_tree.call_path_id,
    call_tree.location_id,
    NULL::BIGINT AS visit_id,
    NULL::BIGINT AS start_ns,
    call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0) AS value,
    NULL::INTEGER AS cause_location_id,
    NULL::BIGINT AS cause_visit_id,
    if(locations.is_complete, 100, 75)::TINYINT AS confidence
FROM call_tree
INNER JOIN call_paths ON call_tree.call_path_id = call_paths.call_path_id
INNER JOIN region_classes ON call_paths.region_id = region_classes.region_id
INNER JOIN kinds ON region_classes.overhead_id = kinds.overhead_id
INNER JOIN locations ON call_tree.location_id = locations.location_id
LEFT JOIN fork_join_times
    ON
        call_tree.call_path_id = fork_join_times.call_path_id
        AND call_tree.location_id = fork_join_times.location_id
WHERE
    kinds.property IS NOT NULL
    AND call_paths.kind <> 'task_stub'
    AND call_tree.exclusive_ns > coalesce(fork_join_times.fork_join_ns, 0)
ORDER BY kinds.property, call_tree.call_path_id, call_tree.location_id
