-- Iterations of the main loop over all processes, in order.
--
-- An iteration is an outlier if its mean time exceeds the median by more than 5 median absolute
-- deviations.
--
-- Grain:      one row per iteration
-- Inputs:     iterations, location_groups
-- Output:     report section iterations
-- Parameters: none
-- Assumes:    of equals, the process with the smallest number counts
WITH
    timed AS (
        SELECT
            iterations.iteration,
            min(iterations.begin_ns) AS begin_ns,
            max(iterations.end_ns) AS end_ns,
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
    ),

    usual AS (
        SELECT
            median(exact_ns) AS median_ns,
            mad(exact_ns) AS deviation_ns
        FROM timed
    )

SELECT
    timed.iteration,
    timed.begin_ns,
    timed.end_ns,
    round(timed.exact_ns)::BIGINT AS mean_ns,
    timed.max_ns,
    timed.worst_rank,
    timed.longest_to_mean,
    timed.computing_ns,
    timed.wait_ns,
    timed.path_ns,
    timed.sent_bytes,
    timed.exact_ns > usual.median_ns + 5 * usual.deviation_ns AS is_outlier
FROM timed
CROSS JOIN usual
ORDER BY timed.iteration
