-- Calls of operations: communication, synchronization and I/O.
--
-- The overhead class of its region defines the kind of a call. Barriers count as synchronization,
-- because they move no data. If a user's rule classifies a parallel region as an operation, the
-- time between the region and its fork or join does not count.
--
-- Grain:      one row per call path of an operation and location that visited it
-- Inputs:     call_tree, fork_join_times, call_paths, regions, region_classes, overhead_classes,
--             mpi_call_paths, locations
-- Output:     operation_calls
-- Parameters: none
-- Source:     Wolf and Mohr (EXPERT): communication, synchronization, I/O; Truong and Fahringer
--             2001 (SCALEA) for the classes
-- Assumes:    the rules of overhead_classes classify all calls correctly
WITH
    kinds AS (
        SELECT
            overhead_id,
            CASE
                WHEN overhead_subclass IN ('point-to-point', 'collective', 'put/get')
                    THEN 'communication'
                WHEN overhead_class = 'synchronisation' THEN 'synchronisation'
                WHEN overhead_subclass = 'I/O' THEN 'io'
            END AS kind
        FROM overhead_classes
    ),

    operations AS (
        SELECT
            call_paths.call_path_id,
            kinds.kind,
            coalesce(mpi_call_paths.call, regions.name) AS operation
        FROM call_paths
        INNER JOIN regions ON call_paths.region_id = regions.region_id
        INNER JOIN region_classes ON call_paths.region_id = region_classes.region_id
        INNER JOIN kinds ON region_classes.overhead_id = kinds.overhead_id
        LEFT JOIN mpi_call_paths ON call_paths.call_path_id = mpi_call_paths.call_path_id
        WHERE kinds.kind IS NOT NULL AND call_paths.kind <> 'task_stub'
    )

SELECT
    operations.kind,
    operations.operation,
    call_tree.call_path_id,
    call_tree.location_id,
    call_tree.visit_count,
    call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0) AS time_ns,
    locations.is_complete
FROM call_tree
INNER JOIN operations ON call_tree.call_path_id = operations.call_path_id
INNER JOIN locations ON call_tree.location_id = locations.location_id
LEFT JOIN fork_join_times
    ON
        call_tree.call_path_id = fork_join_times.call_path_id
        AND call_tree.location_id = fork_join_times.location_id
WHERE call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL
