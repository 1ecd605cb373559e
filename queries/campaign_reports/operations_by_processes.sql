-- Communication per operation, by number of processes.
--
-- Grain:      one row per application, operation and processes
-- Inputs:     operation_times, campaign_runs
-- Output:     campaign report section call sites
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    repeated runs and sizes are averaged
WITH
    averaged AS (
        SELECT
            campaign_runs.application,
            operation_times.operation,
            campaign_runs.processes,
            max(campaign_runs.size) AS largest_size,
            avg(operation_times.total_ns) AS total_ns,
            avg(operation_times.communication_share) AS communication_ratio,
            avg(operation_times.application_share) AS application_ratio,
            avg(operation_times.longest_to_mean) AS longest_to_mean
        FROM operation_times
        INNER JOIN campaign_runs
            ON operation_times.campaign_run_id = campaign_runs.campaign_run_id
        GROUP BY campaign_runs.application, operation_times.operation, campaign_runs.processes
    )

SELECT
    application,
    operation,
    processes,
    largest_size,
    total_ns::BIGINT AS total_ns,
    communication_ratio,
    application_ratio,
    longest_to_mean
FROM averaged
ORDER BY
    application,
    max(total_ns) OVER (PARTITION BY application, operation) DESC,
    operation,
    processes
LIMIT $row_limit::BIGINT
