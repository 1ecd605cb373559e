-- The cause of the waiting in a call path, if one cause is certain to bring about most of it.
--
-- Causes are known per kind of waiting, not per waiting call path. What others than the largest
-- cause of a kind bring about may all lie in one call path; the rest of its waiting is certain:
--
--     Late Broadcast of all call paths 100 ms, of it serial_part causes 90 ms, other causes 10 ms
--     MPI_Bcast waits 60 ms: at least 60 - 10 = 50 ms, more than two thirds, is for serial_part
--     MPI_Scatter waits 12 ms: at least 12 - 10 = 2 ms; its cause is unknown
--
-- Grain:      one row per application, processes, size, and waiting call path with a certain cause
-- Inputs:     run_causes, analyzed_waits, representative_runs, configuration_causes,
--             campaign_call_paths
-- Output:     waiting_causes
-- Parameters: none
-- Source:     Böhme et al. 2016, "Identifying the root causes of wait states in large-scale
--             parallel applications"
-- Assumes:    starting MPI, and time in communication without its waiting, are no causes to mend
WITH
    waited AS (
        SELECT
            runs.application,
            runs.processes,
            runs.size,
            waits.kind,
            waits.call_path_key,
            sum(waits.wait_ns) AS wait_ns,
            sum(sum(waits.wait_ns)) OVER (
                PARTITION BY runs.application, runs.processes, runs.size, waits.kind
            ) AS kind_ns
        FROM analyzed_waits AS waits
        INNER JOIN representative_runs AS runs USING (campaign_run_id)
        GROUP BY runs.application, runs.processes, runs.size, waits.kind, waits.call_path_key
    ),

    -- The largest cause of every kind.
    largest AS (
        SELECT
            runs.application,
            runs.processes,
            runs.size,
            causes.kind,
            causes.call_path_key AS cause_call_path_key,
            sum(causes.direct_ns + causes.passed_on_ns) AS caused_ns
        FROM run_causes AS causes
        INNER JOIN representative_runs AS runs USING (campaign_run_id)
        INNER JOIN campaign_call_paths AS paths USING (call_path_key)
        WHERE paths.operation IS NULL AND NOT paths.is_setup
        GROUP BY runs.application, runs.processes, runs.size, causes.kind, causes.call_path_key
        QUALIFY
            row_number() OVER (
                PARTITION BY runs.application, runs.processes, runs.size, causes.kind
                ORDER BY caused_ns DESC, causes.call_path_key
            ) = 1
    ),

    certain AS (
        SELECT
            waited.application,
            waited.processes,
            waited.size,
            waited.call_path_key,
            largest.cause_call_path_key,
            sum(
                greatest(
                    least(largest.caused_ns, waited.kind_ns) + waited.wait_ns - waited.kind_ns, 0
                )
            ) AS certain_ns,
            sum(sum(waited.wait_ns)) OVER (
                PARTITION BY
                    waited.application, waited.processes, waited.size, waited.call_path_key
            ) AS wait_ns
        FROM waited
        LEFT JOIN largest USING (application, processes, size, kind)
        GROUP BY
            waited.application,
            waited.processes,
            waited.size,
            waited.call_path_key,
            largest.cause_call_path_key
    )

SELECT
    certain.application,
    certain.processes,
    certain.size,
    certain.call_path_key,
    certain.cause_call_path_key,
    causes.rank AS cause_rank,
    least(certain.certain_ns / certain.wait_ns, 1) AS certain_share
FROM certain
INNER JOIN configuration_causes AS causes
    ON
        certain.application = causes.application
        AND certain.processes = causes.processes
        AND certain.size = causes.size
        AND certain.cause_call_path_key = causes.call_path_key
WHERE certain.certain_ns * 3 >= certain.wait_ns * 2 AND certain.wait_ns > 0
ORDER BY certain.application, certain.processes, certain.size, certain.call_path_key
