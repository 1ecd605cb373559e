-- Iterations of the main loop with the longest mean times of all processes.
--
-- Grain:      one row per iteration
-- Inputs:     iterations, location_groups
-- Output:     report section iterations
-- Parameters: $row_limit  maximum number of rows (BIGINT, default 5)
-- Assumes:    of equals, the process with the smallest number counts
WITH
    timed AS (
        SELECT
            iterations.iteration,
            min(iterations.begin_ns) AS begin_ns,
            avg(iterations.time_ns) AS exact_ns,
            max(iterations.time_ns) AS max_ns,
            arg_min(
                location_groups.rank, (-iterations.time_ns, iterations.location_group_id)
            ) AS worst_rank,
            any_value(iterations.imbalance_ratio) AS longest_to_mean,
            sum(iterations.computing_ns)::BIGINT AS computing_ns,
            sum(iterations.wait_ns)::BIGINT AS wait_ns,
            sum(iterations.path_ns)::BIGINT AS path_ns,
            sum(iterations.bytes_sent)::BIGINT AS sent_bytes
        FROM iterations
        INNER JOIN location_groups USING (location_group_id)
        GROUP BY iterations.iteration
    )

SELECT
    iteration,
    begin_ns,
    round(exact_ns)::BIGINT AS mean_ns,
    max_ns,
    worst_rank,
    longest_to_mean,
    computing_ns,
    wait_ns,
    path_ns,
    sent_bytes
FROM timed
ORDER BY exact_ns DESC, iteration
LIMIT $row_limit::BIGINT
