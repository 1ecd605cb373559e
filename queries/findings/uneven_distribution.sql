-- Computation above the mean of a call path whose work is unevenly distributed over locations.
--
-- A call path is uneven if the longest time of a location exceeds the mean by a given factor. Call
-- paths whose time above the mean is a small part of all computation are left out.
--
-- Grain:      one row per uneven call path and location above its mean
-- Inputs:     computational_imbalance, call_tree, fork_join_times, locations
-- Needs rows: computational_imbalance
-- Output:     uneven_distribution
-- Parameters: $uneven_ratio        lowest ratio of longest time to mean of an uneven call path
--             (DOUBLE, default 1.1)
--             $least_uneven_share  lowest time above the mean that counts, as a part of all
--             computation (DOUBLE, default 0.001)
-- Pattern:    finding
-- Metrics:    uneven_distribution
-- Source:     Wolf and Mohr (EXPERT): uneven distribution of work over locations
-- Assumes:    the locations that could take part in a call path could share its work
WITH
    total AS (
        SELECT sum(exclusive_ns)::BIGINT AS computation_ns
        FROM computational_imbalance
    ),

    uneven AS (
        SELECT
            computational_imbalance.call_path_id,
            computational_imbalance.mean_ns
        FROM computational_imbalance
        CROSS JOIN total
        WHERE
            computational_imbalance.longest_to_mean >= $uneven_ratio::DOUBLE
            AND computational_imbalance.overload_ns
            >= $least_uneven_share::DOUBLE * total.computation_ns
    ),

    -- Missing records of one location change the mean of all.
    trust AS (
        SELECT if(bool_and(is_complete), 100, 75)::TINYINT AS confidence
        FROM locations
    ),

    spent AS (
        SELECT
            call_tree.call_path_id,
            call_tree.location_id,
            call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0)
            - uneven.mean_ns AS above_ns
        FROM call_tree
        INNER JOIN uneven ON call_tree.call_path_id = uneven.call_path_id
        LEFT JOIN fork_join_times
            ON
                call_tree.call_path_id = fork_join_times.call_path_id
                AND call_tree.location_id = fork_join_times.location_id
    )

SELECT
    spent.call_path_id,
    spent.location_id,
    spent.above_ns AS value,
    trust.confidence
FROM spent
CROSS JOIN trust
WHERE spent.above_ns > 0
