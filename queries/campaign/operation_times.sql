-- Communication time of a run per operation.
--
-- Grain:      one row per run and operation that counts as communication
-- Inputs:     counted_calls, communication_times
-- Output:     operation_times
-- Parameters: none
-- Source:     Vetter and McCracken 2001, communication by operation
-- Assumes:    nothing
WITH
    callers AS (
        SELECT
            campaign_run_id,
            operation,
            rank,
            sum(call_count) AS call_count,
            sum(total_ns) AS total_ns
        FROM counted_calls
        GROUP BY campaign_run_id, operation, rank
    ),

    called AS (
        SELECT
            campaign_run_id,
            operation,
            count(*) AS caller_count,
            sum(call_count) AS call_count,
            sum(total_ns) AS total_ns,
            min(total_ns) AS least_ns,
            max(total_ns) AS longest_ns
        FROM callers
        GROUP BY campaign_run_id, operation
    ),

    places AS (
        SELECT campaign_run_id, operation, count(DISTINCT call_path_key) AS call_site_count
        FROM counted_calls
        GROUP BY campaign_run_id, operation
    )

SELECT
    called.campaign_run_id,
    called.operation,
    places.call_site_count::INTEGER AS call_site_count,
    called.caller_count::INTEGER AS caller_count,
    called.call_count::BIGINT AS call_count,
    called.total_ns::BIGINT AS total_ns,
    if(called.caller_count < runs.process_count, 0, called.least_ns)::BIGINT AS shortest_ns,
    ((called.total_ns + runs.process_count // 2) // runs.process_count)::BIGINT AS mean_ns,
    called.longest_ns::BIGINT AS longest_ns,
    CASE
        WHEN called.total_ns > 0
            THEN greatest(called.longest_ns * runs.process_count / called.total_ns, 1)
    END AS longest_to_mean,
    called.total_ns::DOUBLE / nullif(runs.communication_ns, 0) AS communication_share,
    called.total_ns::DOUBLE / nullif(runs.application_ns, 0) AS application_share
FROM called
INNER JOIN places USING (campaign_run_id, operation)
INNER JOIN communication_times AS runs USING (campaign_run_id)
ORDER BY called.campaign_run_id, called.operation
