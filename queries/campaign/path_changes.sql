-- Call paths whose time on the critical path grows, shrinks or stays with more processes.
--
--     call path     1 process   16 processes   noise   least change   verdict
--     quad            0.49 ms       26.69 ms    1.2%    2%, 0.53 ms   grows
--     serial_part   100.62 ms      100.65 ms    1.6%    3%, 3.2 ms    does not shrink
--     solve         400.63 ms       25.81 ms    0.9%    2%, 8.0 ms    shrinks
--
-- Grain:      one row per application, size, and call path with at least `least_path_share` of the
--             path at either end
-- Inputs:     configuration_paths
-- Output:     path_changes
-- Parameters: $least_path_share  a call path must reach this share of the path at one of both ends,
--                                and where its noise counts (DOUBLE, default 0.01)
-- Source:     noise is pooled over configurations, as the residual of an analysis of variance
-- Assumes:    relative noise of a call path does not depend on the configuration
WITH
    ranges AS (
        SELECT
            application,
            size,
            min(processes) AS smallest_processes,
            max(processes) AS largest_processes
        FROM configuration_paths
        GROUP BY application, size
    ),

    -- Sizes with several process counts; else the fewest processes against the most.
    pairs AS (
        SELECT
            application,
            size AS smallest_size,
            size AS largest_size,
            smallest_processes,
            largest_processes
        FROM ranges
        WHERE smallest_processes < largest_processes
        UNION ALL
        SELECT
            application,
            arg_min(size, (smallest_processes, -size)),
            arg_max(size, (largest_processes, size)),
            min(smallest_processes),
            max(largest_processes)
        FROM ranges
        GROUP BY application
        HAVING
            bool_and(smallest_processes = largest_processes)
            AND min(smallest_processes) < max(largest_processes)
    ),

    noises AS (
        SELECT
            application,
            call_path_key,
            sqrt(sum((run_count - 1) * deviation_ratio ** 2) / sum(run_count - 1)) AS noise_ratio
        FROM configuration_paths
        WHERE deviation_ratio IS NOT NULL AND path_share >= $least_path_share::DOUBLE
        GROUP BY application, call_path_key
    ),

    compared AS (
        SELECT
            pairs.*,
            fewest.call_path_key,
            fewest.path_ns AS smallest_ns,
            most.path_ns AS largest_ns,
            fewest.path_share AS smallest_share,
            most.path_share AS largest_share,
            if(
                pairs.smallest_size = pairs.largest_size,
                fewest.path_ns * pairs.smallest_processes / pairs.largest_processes,
                NULL
            ) AS divided_ns,
            noises.noise_ratio,
            if(noises.noise_ratio IS NULL, 0.25, 2 * greatest(noises.noise_ratio, 0.01))
            * greatest(fewest.path_ns, most.path_ns) AS least_change_ns,
            fewest.run_count AS smallest_run_count,
            most.run_count AS largest_run_count,
            fewest.total_ns AS smallest_total_ns,
            most.total_ns AS largest_total_ns
        FROM pairs
        INNER JOIN configuration_paths AS fewest
            ON
                pairs.application = fewest.application
                AND pairs.smallest_size = fewest.size
                AND pairs.smallest_processes = fewest.processes
        INNER JOIN configuration_paths AS most
            ON
                pairs.application = most.application
                AND pairs.largest_size = most.size
                AND pairs.largest_processes = most.processes
                AND fewest.call_path_key = most.call_path_key
        LEFT JOIN noises
            ON
                fewest.application = noises.application
                AND fewest.call_path_key = noises.call_path_key
        WHERE greatest(fewest.path_share, most.path_share) >= $least_path_share::DOUBLE
    )

SELECT
    application,
    smallest_size,
    largest_size,
    smallest_processes,
    largest_processes,
    call_path_key,
    smallest_ns,
    largest_ns,
    smallest_share,
    largest_share,
    divided_ns,
    noise_ratio,
    least_change_ns,
    CASE
        WHEN largest_ns - smallest_ns > least_change_ns THEN 'grows'
        WHEN smallest_ns - largest_ns > least_change_ns THEN 'shrinks'
        ELSE 'does not shrink'
    END AS verdict,
    smallest_run_count,
    largest_run_count,
    smallest_total_ns,
    largest_total_ns
FROM compared
ORDER BY application, largest_size, call_path_key
