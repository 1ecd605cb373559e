-- Times from which the efficiencies are computed.
--
-- Grain:      one row per interval
-- Inputs:     pop_metrics
-- Output:     report section efficiencies
-- Parameters: none
-- Assumes:    nothing
SELECT
    interval,
    max(value) FILTER (WHERE metric = 'run_time')::BIGINT AS run_ns,
    max(value) FILTER (WHERE metric = 'ideal_run_time')::BIGINT AS ideal_run_ns,
    max(value) FILTER (WHERE metric = 'mean_useful_time')::BIGINT AS mean_useful_ns,
    max(value) FILTER (WHERE metric = 'longest_useful_time')::BIGINT AS longest_useful_ns,
    bool_and(is_valid) AS is_valid
FROM pop_metrics
WHERE convention = 'times'
GROUP BY interval
ORDER BY interval
