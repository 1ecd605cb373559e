-- Counters and derived counters of several runs per call path, over all locations.
--
-- Grain:      one row per run, call path and counter or derived counter with known values
-- Inputs:     counter_figures, call_path_keys
-- Output:     campaign table run_counters
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; ratios are ratios of sums, and a
--             mean over time is a ratio to the time for which values are known
WITH
    summed AS (
        SELECT
            run_id,
            call_path_keys.call_path_key,
            name AS counter,
            is_derived,
            min(unit) AS unit,
            sum(numerator) AS numerator,
            sum(denominator) AS denominator,
            sum(covered_ns)::BIGINT AS covered_ns
        FROM counter_figures
        INNER JOIN call_path_keys USING (run_id, call_path_id)
        GROUP BY run_id, call_path_keys.call_path_key, name, is_derived
    )

SELECT
    *,
    CASE WHEN denominator IS NULL THEN numerator ELSE numerator / nullif(denominator, 0) END
        AS value,
    CASE WHEN denominator IS NULL THEN numerator / nullif(covered_ns, 0) * 1e9 END AS per_second
FROM summed
ORDER BY run_id, call_path_key, counter, is_derived
