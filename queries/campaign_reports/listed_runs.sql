-- All runs of a campaign, repetitions of a configuration one after the other.
--
-- Grain:      one row per run
-- Inputs:     campaign_runs
-- Output:     campaign report section runs
-- Parameters: $row_limit  maximum number of runs (BIGINT)
-- Assumes:    nothing
SELECT
    label,
    run_id AS run,
    application,
    size,
    processes,
    threads,
    variant,
    repetition,
    state,
    time_ns,
    whole_time_ns
FROM campaign_runs
ORDER BY application, size, processes, threads, variant, repetition, campaign_run_id
LIMIT $row_limit::BIGINT
