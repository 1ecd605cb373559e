-- Call paths of computation that would gain the most from an even distribution of work.
--
-- Grain:      one row per call path of computation that is not in perfect balance
-- Inputs:     computational_imbalance, call_tree, call_paths, locations
-- Output:     report section load balance
-- Parameters: $row_limit  maximum number of call paths, largest gain first (BIGINT)
-- Assumes:    of equals, the location with the smallest number counts
WITH
    uneven AS (
        SELECT *, longest_ns - mean_ns AS excess_ns
        FROM computational_imbalance
        WHERE longest_ns > mean_ns
        ORDER BY excess_ns DESC, call_path_id
        LIMIT $row_limit::BIGINT
    ),

    -- One row per call path and location; place 1 has the most time.
    placed AS (
        SELECT
            call_tree.call_path_id,
            locations.rank,
            locations.thread,
            row_number() OVER (
                PARTITION BY call_tree.call_path_id
                ORDER BY call_tree.exclusive_ns DESC, call_tree.location_id
            ) AS place
        FROM call_tree
        SEMI JOIN uneven ON call_tree.call_path_id = uneven.call_path_id
        INNER JOIN locations ON call_tree.location_id = locations.location_id
    )

SELECT
    call_paths.path AS call_path,
    uneven.excess_ns,
    uneven.longest_to_mean,
    uneven.mean_ns,
    placed.rank AS worst_rank,
    placed.thread AS worst_thread,
    uneven.longest_ns AS worst_ns,
    uneven.location_count,
    uneven.visitor_count,
    uneven.overload_ns,
    uneven.underload_ns,
    uneven.non_participation_ns
FROM uneven
INNER JOIN call_paths ON uneven.call_path_id = call_paths.call_path_id
INNER JOIN placed ON uneven.call_path_id = placed.call_path_id AND placed.place = 1
ORDER BY uneven.excess_ns DESC, uneven.call_path_id
