-- Inclusive time of regions in each compared configuration and its base, per process.
--
-- The time of a region on a thread is that of all call paths at or below it, each once.
--
-- Grain:      one row per application, compared configuration, and region of it or its base
-- Inputs:     configuration_comparisons, representative_runs, run_threads, run_thread_times,
--             run_losses_by_class, campaign_call_paths
-- Output:     configuration_regions
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    the first thread of a process is its time line; a process without visits counts 0
WITH RECURSIVE
    lines AS (
        SELECT call_path_key, region, parent_call_path_key
        FROM campaign_call_paths
        UNION ALL
        SELECT lines.call_path_key, above.region, above.parent_call_path_key
        FROM lines
        INNER JOIN campaign_call_paths AS above
            ON lines.parent_call_path_key = above.call_path_key
    ),

    regions AS (
        SELECT DISTINCT call_path_key, region
        FROM lines
    ),

    first_threads AS (
        SELECT
            campaign_run_id,
            location_id,
            count(*) OVER (PARTITION BY campaign_run_id) AS process_count
        FROM run_threads
        WHERE is_first
    ),

    spent AS (
        SELECT
            times.campaign_run_id,
            regions.region,
            first_threads.process_count,
            sum(times.time_ns) AS time_ns
        FROM run_thread_times AS times
        INNER JOIN first_threads USING (campaign_run_id, location_id)
        INNER JOIN regions USING (call_path_key)
        GROUP BY
            times.campaign_run_id, regions.region, first_threads.process_count, times.location_id
    ),

    charged AS (
        SELECT losses.campaign_run_id, regions.region, sum(losses.lost_ns) AS charged_ns
        FROM run_losses_by_class AS losses
        INNER JOIN regions USING (call_path_key)
        GROUP BY ALL
    ),

    of_run AS (
        SELECT
            campaign_run_id,
            region,
            sum(time_ns) / process_count AS mean_ns,
            max(time_ns) AS longest_ns
        FROM spent
        GROUP BY campaign_run_id, region, process_count
    ),

    sides AS (
        SELECT
            compared.application,
            compared.processes,
            compared.size,
            runs.campaign_run_id,
            runs.processes = compared.base_processes AS is_base,
            if(is_base, compared.base_run_count, compared.run_count) AS run_count,
            compared.thread_count
        FROM configuration_comparisons AS compared
        INNER JOIN representative_runs AS runs
            ON
                compared.application = runs.application
                AND compared.size = runs.size
                AND runs.processes IN (compared.processes, compared.base_processes)
    ),

    averaged AS (
        SELECT
            sides.application,
            sides.processes,
            sides.size,
            of_run.region,
            coalesce(sum(of_run.mean_ns / sides.run_count) FILTER (sides.is_base), 0) AS seq_ns,
            coalesce(sum(of_run.mean_ns / sides.run_count) FILTER (NOT sides.is_base), 0)
                AS par_mean_ns,
            coalesce(sum(of_run.longest_ns / sides.run_count) FILTER (NOT sides.is_base), 0)
                AS par_max_ns,
            coalesce(
                sum(charged.charged_ns / sides.run_count / sides.thread_count)
                FILTER (NOT sides.is_base),
                0
            ) AS charged_ns
        FROM sides
        INNER JOIN of_run USING (campaign_run_id)
        LEFT JOIN charged USING (campaign_run_id, region)
        GROUP BY sides.application, sides.processes, sides.size, of_run.region
    )

SELECT
    averaged.application,
    averaged.processes,
    averaged.size,
    averaged.region,
    round(averaged.seq_ns)::BIGINT AS seq_ns,
    round(averaged.par_mean_ns)::BIGINT AS par_mean_ns,
    round(averaged.par_max_ns)::BIGINT AS par_max_ns,
    round(
        averaged.par_mean_ns - averaged.seq_ns * compared.base_thread_count / compared.thread_count
    )::BIGINT AS overhead_mean_ns,
    round(
        averaged.par_max_ns - averaged.seq_ns * compared.base_thread_count / compared.thread_count
    )::BIGINT AS overhead_max_ns,
    round(averaged.charged_ns)::BIGINT AS charged_ns
FROM averaged
INNER JOIN configuration_comparisons AS compared USING (application, processes, size)
ORDER BY averaged.application, averaged.processes, averaged.size, averaged.region
