-- Waiting of a run that each call path caused, and the process that caused most of it.
--
-- Grain:      one row per run and call path that caused waiting
-- Inputs:     run_causes, analyzed_waits
-- Output:     cause_times
-- Parameters: none
-- Source:     Böhme et al. 2016, "Identifying the root causes of wait states in large-scale
--             parallel applications"
-- Assumes:    costs are rounded to nanoseconds, so parts may sum to slightly more than the whole;
--             idle threads of OpenMP are no waiting
WITH
    waiting AS (
        SELECT
            campaign_run_id,
            sum(wait_ns) AS waiting_ns
        FROM analyzed_waits
        GROUP BY campaign_run_id
    ),

    -- One row per call path and process.
    caused AS (
        SELECT
            campaign_run_id,
            call_path_key,
            sum(direct_ns) AS direct_ns,
            sum(direct_ns + passed_on_ns) AS caused_ns
        FROM run_causes
        WHERE kind <> 'ompidle'
        GROUP BY campaign_run_id, call_path_key, run_causes.rank
    ),

    summed AS (
        SELECT
            campaign_run_id,
            call_path_key,
            sum(direct_ns) AS direct_ns,
            sum(caused_ns) AS caused_ns,
            max(caused_ns) AS most_ns
        FROM caused
        GROUP BY campaign_run_id, call_path_key
    )

SELECT
    summed.campaign_run_id,
    summed.call_path_key,
    summed.caused_ns::BIGINT AS caused_ns,
    summed.direct_ns::BIGINT AS direct_ns,
    (summed.caused_ns - summed.direct_ns)::BIGINT AS passed_on_ns,
    summed.most_ns::BIGINT AS longest_ns,
    least(summed.caused_ns / waiting.waiting_ns, 1) AS waiting_share
FROM summed
INNER JOIN waiting USING (campaign_run_id)
WHERE waiting.waiting_ns > 0
ORDER BY summed.campaign_run_id, summed.call_path_key
