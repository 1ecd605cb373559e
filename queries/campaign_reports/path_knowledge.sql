-- Numbers of runs and processes that the critical path of each application is known from.
--
-- Grain:      one row per application with measured runs
-- Inputs:     campaign_runs, configuration_paths
-- Output:     campaign report section summary
-- Parameters: none
-- Assumes:    nothing
WITH
    measured AS (
        SELECT
            application,
            count(*) AS measured_count,
            count(run_id) AS trace_count
        FROM campaign_runs
        WHERE state = 'measured'
        GROUP BY application
    ),

    known AS (
        SELECT
            application,
            count(DISTINCT processes) AS process_number_count,
            max(processes) AS largest_processes,
            max(run_count) AS run_count
        FROM configuration_paths
        GROUP BY application
    )

SELECT
    measured.application,
    measured.measured_count,
    measured.trace_count,
    coalesce(known.process_number_count, 0) AS process_number_count,
    known.largest_processes,
    coalesce(known.run_count, 0) AS run_count
FROM measured
LEFT JOIN known USING (application)
ORDER BY measured.application
