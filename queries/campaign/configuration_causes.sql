-- Causes of waiting in every configuration: the typical cost of a call path, and who is to blame.
--
-- Grain:      one row per application, processes, size, and call path that caused waiting
-- Inputs:     cause_times, run_causes, representative_runs
-- Output:     configuration_causes
-- Parameters: none
-- Source:     Böhme et al. 2016, "Identifying the root causes of wait states in large-scale
--             parallel applications"
-- Assumes:    a repetition without the cause counts as 0, one with unknown causes does not count
WITH
    known AS (
        SELECT
            campaign_run_id,
            application,
            processes,
            size
        FROM representative_runs
        WHERE campaign_run_id IN (SELECT campaign_run_id FROM cause_times)
    ),

    causing AS (
        SELECT DISTINCT
            known.application,
            known.processes,
            known.size,
            cause_times.call_path_key
        FROM cause_times
        INNER JOIN known USING (campaign_run_id)
    ),

    -- One row per repetition, also where the call path causes nothing.
    repeated AS (
        SELECT
            causing.application,
            causing.processes,
            causing.size,
            causing.call_path_key,
            coalesce(times.caused_ns, 0) AS caused_ns,
            coalesce(times.direct_ns, 0) AS direct_ns,
            coalesce(times.waiting_share, 0) AS waiting_share
        FROM causing
        INNER JOIN known USING (application, processes, size)
        LEFT JOIN cause_times AS times
            ON
                known.campaign_run_id = times.campaign_run_id
                AND causing.call_path_key = times.call_path_key
    ),

    -- Costs of each process over all repetitions.
    blamed AS (
        SELECT
            known.application,
            known.processes,
            known.size,
            causes.call_path_key,
            causes.rank,
            sum(causes.direct_ns + causes.passed_on_ns) AS caused_ns
        FROM run_causes AS causes
        INNER JOIN known USING (campaign_run_id)
        WHERE causes.kind <> 'ompidle'
        GROUP BY ALL
    ),

    -- A process counts as the cause if it has two thirds of the cost.
    named AS (
        SELECT
            application,
            processes,
            size,
            call_path_key,
            if(max(caused_ns) * 3 >= sum(caused_ns) * 2, arg_max(rank, (caused_ns, -rank)), NULL)
                AS rank
        FROM blamed
        GROUP BY application, processes, size, call_path_key
    )

SELECT
    repeated.application,
    repeated.processes,
    repeated.size,
    repeated.call_path_key,
    any_value(named.rank) AS rank,
    median(repeated.caused_ns) AS caused_ns,
    median(repeated.direct_ns) AS direct_ns,
    median(repeated.waiting_share) AS waiting_share,
    count(*)::INTEGER AS run_count
FROM repeated
LEFT JOIN named USING (application, processes, size, call_path_key)
GROUP BY repeated.application, repeated.processes, repeated.size, repeated.call_path_key
ORDER BY repeated.application, repeated.processes, repeated.size, repeated.call_path_key
