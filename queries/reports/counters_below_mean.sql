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
            any_value(unit) AS unit,
            any_value(is_more_better) AS is_more_better,
            sum(numerator) / nullif(sum(denominator), 0) AS mean_value
        FROM counter_figures
        WHERE is_derived
        GROUP BY name
    ),

    valued AS (
        SELECT
            name,
            call_path_id,
            sum(numerator) / nullif(sum(denominator), 0) AS value,
            sum(covered_ns)::BIGINT AS covered_ns
        FROM counter_figures
        WHERE is_derived
        GROUP BY name, call_path_id
    ),

    -- Paths are long texts, so they are joined only to these few rows.
    worse AS (
        SELECT
            valued.*,
            means.mean_value,
            means.unit
        FROM valued
        INNER JOIN means ON valued.name = means.name
        WHERE
            if(
                means.is_more_better,
                valued.value < means.mean_value,
                valued.value > means.mean_value
            )
        QUALIFY
            row_number() OVER (
                PARTITION BY valued.name ORDER BY valued.covered_ns DESC, valued.call_path_id
            ) <= $row_limit::BIGINT
    )

SELECT
    worse.name AS counter,
    call_paths.path AS call_path,
    worse.value,
    worse.mean_value,
    worse.unit,
    worse.covered_ns AS time_ns
FROM worse
INNER JOIN call_paths ON worse.call_path_id = call_paths.call_path_id
ORDER BY worse.name, worse.covered_ns DESC, worse.call_path_id
