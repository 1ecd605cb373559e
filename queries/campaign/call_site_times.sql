-- Communication time of a run per call site.
--
-- Grain:      one row per run and call path that counts as communication
-- Inputs:     counted_calls, communication_times
-- Output:     call_site_times
-- Parameters: none
-- Source:     Vetter and McCracken 2001, aggregate time of call sites
-- Assumes:    nothing
WITH
    called AS (
        SELECT
            campaign_run_id,
            call_path_key,
            any_value(operation) AS operation,
            count(*) AS caller_count,
            sum(call_count) AS call_count,
            sum(total_ns) AS total_ns,
            min(total_ns) AS least_ns,
            max(total_ns) AS longest_ns,
            min(shortest_ns) AS shortest_call_ns,
            max(longest_ns) AS longest_call_ns
        FROM counted_calls
        GROUP BY campaign_run_id, call_path_key
    )

SELECT
    called.campaign_run_id,
    called.call_path_key,
    called.operation,
    called.caller_count::INTEGER AS caller_count,
    called.call_count::BIGINT AS call_count,
    called.total_ns::BIGINT AS total_ns,
    if(called.caller_count < runs.process_count, 0, called.least_ns)::BIGINT AS shortest_ns,
    ((called.total_ns + runs.process_count // 2) // runs.process_count)::BIGINT AS mean_ns,
    called.longest_ns,
    CASE
        WHEN called.total_ns > 0
            THEN greatest(called.longest_ns * runs.process_count / called.total_ns, 1)
    END AS longest_to_mean,
    called.shortest_call_ns,
    ((called.total_ns + called.call_count // 2) // called.call_count)::BIGINT AS mean_call_ns,
    called.longest_call_ns,
    called.total_ns::DOUBLE / nullif(runs.communication_ns, 0) AS communication_share,
    called.total_ns::DOUBLE / nullif(runs.application_ns, 0) AS application_share
FROM called
INNER JOIN communication_times AS runs USING (campaign_run_id)
ORDER BY called.campaign_run_id, called.call_path_key
