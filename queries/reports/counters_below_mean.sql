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
    ),

    leasts AS (
        SELECT
            name,
            list_min(max(covered_ns, least($row_limit::BIGINT, 999999))) AS least_ns
        FROM worse
        GROUP BY name
    ),

    -- Paths are long texts, so they are joined only to these few rows. Few are sorted, too.
    most AS (
        SELECT worse.*
        FROM worse
        INNER JOIN leasts ON worse.name = leasts.name
        WHERE $row_limit::BIGINT > 999999 OR worse.covered_ns >= leasts.least_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY worse.name ORDER BY worse.covered_ns DESC, worse.call_path_id
            ) <= $row_limit::BIGINT
    )

SELECT
    most.name AS counter,
    call_paths.path AS call_path,
    most.value,
    most.mean_value,
    most.unit,
    most.covered_ns AS time_ns
FROM most
INNER JOIN call_paths ON most.call_path_id = call_paths.call_path_id
ORDER BY most.name, most.covered_ns DESC, most.call_path_id
