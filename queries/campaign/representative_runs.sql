-- Runs that represent their configuration: repetitions of the fastest launch.
--
-- Grain:      one row per measured run of the fastest launch of its processes and size
-- Inputs:     campaign_runs
-- Output:     representative_runs
-- Parameters: none
-- Source:     Teplov 2014 reduces other launch parameters to the best run; here the median decides,
--             so that a single fast repetition does not matter
-- Assumes:    nothing
WITH
    measured AS (
        SELECT *
        FROM campaign_runs
        WHERE state = 'measured' AND time_ns IS NOT NULL
    ),

    launches AS (
        SELECT
            application,
            processes,
            size,
            threads,
            variant,
            median(time_ns) AS median_ns
        FROM measured
        GROUP BY ALL
    ),

    fastest AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY application, processes, size
                ORDER BY median_ns, threads, variant
            ) AS place
        FROM launches
    )

SELECT
    measured.campaign_run_id,
    measured.application,
    measured.processes,
    measured.size,
    measured.computation_size,
    measured.time_ns,
    measured.serial_ns
FROM measured
INNER JOIN fastest USING (application, processes, size, threads, variant)
WHERE fastest.place = 1
ORDER BY measured.campaign_run_id
