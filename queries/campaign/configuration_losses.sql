-- Lost parallelism of every configuration: code that not all threads take part in.
--
-- Grain:      one row per application, processes, size, and call path with a loss
-- Inputs:     run_losses, representative_runs, campaign_runs, run_totals
-- Output:     configuration_losses
-- Parameters: none
-- Source:     none
-- Assumes:    a repetition without the loss counts as 0; runs without a trace do not count
WITH
    known AS (
        SELECT
            runs.campaign_run_id,
            runs.application,
            runs.processes,
            runs.size,
            totals.location_ns
        FROM representative_runs AS runs
        INNER JOIN campaign_runs USING (campaign_run_id)
        LEFT JOIN run_totals AS totals USING (campaign_run_id)
        WHERE campaign_runs.run_id IS NOT NULL
    ),

    losing AS (
        SELECT
            known.application,
            known.processes,
            known.size,
            losses.call_path_key,
            if(
                min(losses.rank) = max(losses.rank) AND count(*) = count(losses.rank),
                min(losses.rank),
                NULL
            ) AS rank,
            max(losses.participant_count) AS participant_count
        FROM run_losses AS losses
        INNER JOIN known USING (campaign_run_id)
        GROUP BY known.application, known.processes, known.size, losses.call_path_key
    )

SELECT
    losing.application,
    losing.processes,
    losing.size,
    losing.call_path_key,
    losing.rank,
    losing.participant_count,
    median(coalesce(losses.alone_ns + losses.with_others_ns, 0)) AS lost_ns,
    median(coalesce(losses.alone_ns, 0)) AS alone_ns,
    median(
        coalesce(losses.alone_ns + losses.with_others_ns, 0) / nullif(known.location_ns, 0)
    ) AS lost_share,
    count(*)::INTEGER AS run_count
FROM losing
INNER JOIN known USING (application, processes, size)
LEFT JOIN run_losses AS losses
    ON
        known.campaign_run_id = losses.campaign_run_id
        AND losing.call_path_key = losses.call_path_key
GROUP BY ALL
ORDER BY losing.application, losing.processes, losing.size, losing.call_path_key
