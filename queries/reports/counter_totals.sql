-- Counters and derived counters of the run.
--
-- Grain:      one row per counter of call paths
-- Inputs:     counter_figures, call_path_counters, counters
-- Needs rows: counter_figures
-- Output:     report section counters
-- Parameters: none
-- Assumes:    nothing
WITH
    -- Many call paths have values, few counters.
    methods AS (
        SELECT
            counters.name,
            max(found.method) AS method
        FROM (
            SELECT DISTINCT
                counter_id,
                method::VARCHAR AS method
            FROM call_path_counters
        ) AS found
        INNER JOIN counters ON found.counter_id = counters.counter_id
        GROUP BY counters.name
    ),

    totals AS (
        SELECT
            name,
            unit,
            is_derived,
            sum(numerator) AS numerator,
            sum(denominator) AS denominator,
            sum(covered_ns)::BIGINT AS covered_ns,
            sum(negative_steps)::BIGINT AS negative_step_count
        FROM counter_figures
        GROUP BY name, unit, is_derived
    )

SELECT
    totals.name AS counter,
    if(
        totals.denominator IS NULL,
        totals.numerator,
        totals.numerator / nullif(totals.denominator, 0)
    ) AS value,
    totals.unit,
    coalesce(methods.method, 'derived') AS method,
    totals.covered_ns,
    totals.negative_step_count
FROM totals
LEFT JOIN methods ON totals.name = methods.name AND NOT totals.is_derived
ORDER BY totals.is_derived, totals.name
