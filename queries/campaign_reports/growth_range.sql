-- Runs between which growth is measured: those with the fewest and the most processes at the
-- largest size.
--
-- Grain:      one row per application with runs that are compared
-- Inputs:     metric_growth, call_path_growth, campaign_runs, campaign_settings
-- Output:     campaign report section growth
-- Parameters: none
-- Assumes:    metrics and call paths of an application are compared over the same runs
WITH
    compared AS (
        SELECT
            application,
            run_count,
            smallest_processes,
            largest_processes,
            smallest_run_size,
            largest_run_size
        FROM metric_growth
        WHERE size IS NULL AND run_count > 0
        UNION
        SELECT
            application,
            run_count,
            smallest_processes,
            largest_processes,
            smallest_run_size,
            largest_run_size
        FROM call_path_growth
        WHERE size IS NULL AND run_count > 0
    )

SELECT
    compared.application,
    any_value(compared.run_count) AS run_count,
    any_value(compared.smallest_processes) AS smallest_processes,
    any_value(compared.largest_processes) AS largest_processes,
    any_value(settings.size_name) AS size_name,
    any_value(compared.smallest_run_size) AS smallest_run_size,
    any_value(compared.largest_run_size) AS largest_run_size,
    count(DISTINCT runs.size) AS size_count,
    count(*) FILTER (runs.processes < compared.smallest_processes) AS left_out_count,
    max(runs.processes) FILTER (runs.processes < compared.smallest_processes)
        AS left_out_processes
FROM compared
INNER JOIN campaign_settings AS settings ON compared.application = settings.application
INNER JOIN campaign_runs AS runs
    ON compared.application = runs.application AND runs.state = 'measured'
GROUP BY compared.application
ORDER BY compared.application
