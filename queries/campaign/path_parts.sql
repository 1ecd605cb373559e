-- Parts of the critical path of representative runs, which sum to the time of the run.
--
-- Grain:      one row per representative run with a critical path, and part
-- Inputs:     representative_runs, counted_call_paths, configuration_paths
-- Output:     path_parts
-- Parameters: $least_path_share  a call path must reach this share of the path in the median of a
--                                configuration; all others are one part (DOUBLE, default 0.01)
-- Source:     Scalasca, "critical-path analysis": critical-path profile
-- Assumes:    runs without a critical path have no parts; the path may be longer than the run
--             if clocks disagree
WITH
    -- One long call in one repetition makes no part.
    listed AS (
        SELECT DISTINCT
            application,
            call_path_key
        FROM configuration_paths
        WHERE path_share >= $least_path_share::DOUBLE
    ),

    parts AS (
        SELECT
            runs.campaign_run_id,
            if(listed.call_path_key IS NULL, 'other call paths', 'call path') AS part,
            coalesce(listed.call_path_key, 0) AS call_path_key,
            sum(costs.critical_path_ns) AS time_ns
        FROM representative_runs AS runs
        INNER JOIN counted_call_paths AS costs USING (campaign_run_id)
        LEFT JOIN listed USING (application, call_path_key)
        WHERE costs.critical_path_ns > 0
        GROUP BY ALL
    ),

    outside AS (
        SELECT
            runs.campaign_run_id,
            runs.time_ns - sum(parts.time_ns) AS time_ns
        FROM parts
        INNER JOIN representative_runs AS runs USING (campaign_run_id)
        GROUP BY runs.campaign_run_id, runs.time_ns
    )

SELECT
    campaign_run_id,
    part,
    call_path_key,
    time_ns::BIGINT AS time_ns
FROM (
    FROM parts
    UNION ALL
    SELECT campaign_run_id, 'outside of the path', 0, time_ns FROM outside WHERE time_ns <> 0
)
ORDER BY campaign_run_id, part, call_path_key
