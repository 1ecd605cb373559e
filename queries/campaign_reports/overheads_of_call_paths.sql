-- The call paths with the largest overheads of every configuration.
--
-- Grain:      one row per application, compared configuration and call path; up to ten of each
-- Inputs:     configuration_call_paths, campaign_call_paths
-- Output:     campaign report section overheads
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    times are per thread; the largest have most overhead, or most that others lose
SELECT
    own.application,
    own.size,
    own.processes,
    paths.call_path,
    own.participant_count,
    own.seq_ns,
    own.par_mean_ns,
    own.par_max_ns,
    own.overhead_ns,
    own.charged_ns,
    own.replicated_ns,
    own.additional_ns,
    own.unidentified_ns,
    own.lower_ipc_ns,
    own.lower_frequency_ns,
    own.noise_ns
FROM configuration_call_paths AS own
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE own.overhead_ns <> 0 OR own.charged_ns <> 0
QUALIFY
    row_number() OVER (
        PARTITION BY own.application, own.size, own.processes
        ORDER BY greatest(abs(own.overhead_ns), own.charged_ns) DESC, own.call_path_key
    ) <= 10
ORDER BY
    own.application,
    own.size,
    own.processes,
    greatest(abs(own.overhead_ns), own.charged_ns) DESC,
    own.call_path_key
LIMIT $row_limit::BIGINT
