-- Share of the critical path that exists only because work is unevenly distributed.
--
-- For a call path including its subtree, T is the time of all processes and threads, W their
-- waiting and fork-join time there, CP the length of the critical path, and N the number of
-- processes and threads. Evenly distributed, the work would take (T - W) / N:
--
--     imbalance = 1 - (T - W) / (N * CP)
--
-- Grain:      one row per call path on the critical path with uneven work
-- Inputs:     critical_path_profile, call_tree, call_paths, location_spans, wait_states,
--             fork_join_times
-- Needs rows: critical_path_profile
-- Output:     critical_path_imbalances
-- Parameters: none
-- Source:     Böhme, "Characterizing load and communication imbalance in parallel applications",
--             2013: critical-path imbalance indicator
-- Assumes:    call paths are numbered depth-first, so that a subtree is a range of ids
WITH
    workers AS (
        SELECT location_id FROM location_spans
        WHERE is_worker
    ),

    -- A sum over a subtree is the difference of two running sums over all call paths.
    path_times AS (
        SELECT
            call_path_id,
            sum(path_ns) AS path_ns,
            sum(sum(path_ns)) OVER (ORDER BY call_path_id ROWS UNBOUNDED PRECEDING) AS running_ns
        FROM critical_path_profile
        GROUP BY call_path_id
    ),

    lost AS (
        SELECT call_path_id, location_id, wait_ns
        FROM wait_states
        WHERE NOT is_extended AND NOT is_completion
        UNION ALL
        SELECT call_path_id, location_id, fork_join_ns
        FROM fork_join_times
    ),

    waits AS (
        SELECT
            lost.call_path_id,
            sum(sum(lost.wait_ns)) OVER (
                ORDER BY lost.call_path_id ROWS UNBOUNDED PRECEDING
            ) AS running_ns
        FROM lost
        INNER JOIN workers USING (location_id)
        GROUP BY lost.call_path_id
    ),

    times AS (
        SELECT
            call_tree.call_path_id,
            sum(call_tree.inclusive_ns) AS time_ns
        FROM call_tree
        INNER JOIN workers USING (location_id)
        WHERE call_tree.call_path_id IN (SELECT call_path_id FROM path_times)
        GROUP BY call_tree.call_path_id
    ),

    subtrees AS (
        SELECT
            path_times.call_path_id,
            last_paths.running_ns - path_times.running_ns + path_times.path_ns AS path_ns,
            times.time_ns
            - coalesce(last_waits.running_ns, 0)
            + coalesce(earlier_waits.running_ns, 0) AS work_ns
        FROM path_times
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN times USING (call_path_id)
        ASOF INNER JOIN path_times AS last_paths
            ON call_paths.last_call_path_id >= last_paths.call_path_id
        ASOF LEFT JOIN waits AS last_waits
            ON call_paths.last_call_path_id >= last_waits.call_path_id
        ASOF LEFT JOIN waits AS earlier_waits
            ON path_times.call_path_id > earlier_waits.call_path_id
    )

SELECT
    call_path_id,
    1 - work_ns::DOUBLE / (path_ns * (SELECT count(*) FROM workers))::DOUBLE AS imbalance_ratio
FROM subtrees
WHERE path_ns * (SELECT count(*) FROM workers) > greatest(work_ns, 0)
