-- Critical path of every configuration by call path, and its noise over the repetitions.
--
-- Grain:      one row per application, processes, size, and call path with that share in some run
-- Inputs:     representative_runs, counted_call_paths, run_totals
-- Output:     configuration_paths
-- Parameters: $least_path_share  a call path must reach this share of the path in some run (DOUBLE,
--                                default 0.01)
-- Source:     Scalasca, "critical-path analysis": critical-path profile
-- Assumes:    a repetition in which the path leaves a call path out counts as 0; runs without a
--             trace have no path
WITH
    known AS (
        SELECT
            runs.campaign_run_id,
            runs.application,
            runs.processes,
            runs.size,
            totals.critical_path_ns AS total_ns
        FROM representative_runs AS runs
        INNER JOIN run_totals AS totals USING (campaign_run_id)
        WHERE totals.critical_path_ns > 0
    ),

    important AS (
        SELECT DISTINCT
            known.application,
            costs.call_path_key
        FROM counted_call_paths AS costs
        INNER JOIN known USING (campaign_run_id)
        WHERE costs.critical_path_ns >= $least_path_share::DOUBLE * known.total_ns
    ),

    -- One row per run and important call path.
    repeated AS (
        SELECT
            known.application,
            known.processes,
            known.size,
            important.call_path_key,
            known.total_ns,
            coalesce(costs.critical_path_ns, 0) AS path_ns
        FROM known
        INNER JOIN important USING (application)
        LEFT JOIN counted_call_paths AS costs
            ON
                known.campaign_run_id = costs.campaign_run_id
                AND important.call_path_key = costs.call_path_key
    )

SELECT
    application,
    processes,
    size,
    call_path_key,
    median(path_ns) AS path_ns,
    least(median(path_ns / total_ns), 1) AS path_share,
    stddev_samp(path_ns) / nullif(avg(path_ns), 0) AS deviation_ratio,
    count(*)::INTEGER AS run_count,
    median(total_ns) AS total_ns
FROM repeated
GROUP BY application, processes, size, call_path_key
ORDER BY application, processes, size, call_path_key
