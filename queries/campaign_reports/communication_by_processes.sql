-- Time and communication of all processes, by number of processes.
--
-- Grain:      one row per application, size and processes
-- Inputs:     communication_times, campaign_runs
-- Output:     campaign report section call sites
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    repeated runs are averaged
SELECT
    campaign_runs.application,
    campaign_runs.size,
    campaign_runs.processes,
    avg(communication_times.communication_ns)::BIGINT AS communication_ns,
    avg(communication_times.communication_share) AS communication_ratio,
    avg(communication_times.shortest_communication_ns)::BIGINT AS shortest_ns,
    avg(communication_times.longest_communication_ns)::BIGINT AS longest_ns
FROM communication_times
INNER JOIN campaign_runs ON communication_times.campaign_run_id = campaign_runs.campaign_run_id
GROUP BY campaign_runs.application, campaign_runs.size, campaign_runs.processes
ORDER BY campaign_runs.application, campaign_runs.size, campaign_runs.processes
LIMIT $row_limit::BIGINT
