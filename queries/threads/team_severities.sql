-- Overheads of thread teams: fork, management, and idle threads.
--
--     master   [ serial |...[parallel ............]..| serial ]
--     worker            |......[parallel .......]....|
--                     fork                         join
--
-- Time from the fork to the enter is fork time; together with the time from the leave to the join
-- it is management time. While the master is outside parallel regions, each worker is idle in the
-- master's call paths. Workers that do not belong to the current team are idle, too (see
-- limited_parallelism).
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     fork_join_times, serial_call_paths, call_tree, team_workers, limited_parallelism
-- Needs rows: fork_join_times or team_workers or limited_parallelism
-- Output:     team_severities
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Thread Management Time", "OpenMP Thread Team Fork
--             Time", "OpenMP Idle Threads Time", "OpenMP Limited Parallelism Time"
-- Assumes:    the first thread of a process is its master
WITH
    idle AS (
        SELECT
            call_tree.call_path_id,
            team_workers.location_id,
            call_tree.exclusive_ns AS idle_ns
        FROM call_tree
        INNER JOIN team_workers ON call_tree.location_id = team_workers.master_location_id
        SEMI JOIN (FROM serial_call_paths WHERE NOT is_parallel) AS serial_paths
            ON call_tree.call_path_id = serial_paths.call_path_id
        UNION ALL
        FROM limited_parallelism
    ),

    valued AS (
        SELECT 'omp_management' AS metric, call_path_id, location_id, fork_join_ns AS value
        FROM fork_join_times
        UNION ALL
        SELECT 'omp_fork', call_path_id, location_id, fork_ns FROM fork_join_times
        UNION ALL
        SELECT 'omp_idle_threads', call_path_id, location_id, idle_ns FROM idle
        UNION ALL
        SELECT 'omp_limited_parallelism', call_path_id, location_id, idle_ns
        FROM limited_parallelism
    )

SELECT
    metric,
    call_path_id,
    location_id,
    value
FROM valued
WHERE value <> 0
ORDER BY metric, call_path_id, location_id
