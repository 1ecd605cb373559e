-- Call paths whose derived counters are worse than the mean of the run.
--
-- Grain:      one row per derived counter and call path
-- Inputs:     counter_figures, call_paths
-- Output:     report section counters
-- Parameters: $row_limit  maximum number of call paths per counter, most time first (BIGINT)
-- Assumes:    nothing
WITH
    means AS (
        SELECT
            name,
            sum(numerator) / nullif(sum(denominator), 0) AS mean_value
        FROM counter_figures
        WHERE is_derived
        GROUP BY name
    ),

    valued AS (
        SELECT
            name,
            unit,
            is_more_better,
            call_path_id,
            sum(numerator) / nullif(sum(denominator), 0) AS value,
            sum(covered_ns)::BIGINT AS covered_ns
        FROM counter_figures
        WHERE is_derived
        GROUP BY ALL
    )

SELECT
    valued.name AS counter,
    call_paths.path AS call_path,
    valued.value,
    means.mean_value,
    valued.unit,
    valued.covered_ns AS time_ns
FROM valued
INNER JOIN means ON valued.name = means.name
INNER JOIN call_paths ON valued.call_path_id = call_paths.call_path_id
WHERE if(valued.is_more_better, valued.value < means.mean_value, valued.value > means.mean_value)
QUALIFY
    row_number() OVER (
        PARTITION BY valued.name ORDER BY valued.covered_ns DESC, valued.call_path_id
    ) <= $row_limit::BIGINT
ORDER BY valued.name, valued.covered_ns DESC, valued.call_path_id
