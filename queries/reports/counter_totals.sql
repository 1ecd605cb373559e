-- Counters and derived counters of the run.
--
-- Grain:      one row per counter of call paths
-- Inputs:     counter_figures, call_path_counters, counters
-- Needs rows: counter_figures
-- Output:     report section counters
-- Parameters: none
-- Assumes:    nothing
WITH
    methods AS (
        SELECT
            counters.name,
            max(found.method::VARCHAR) AS method
        FROM call_path_counters AS found
        INNER JOIN counters ON found.counter_id = counters.counter_id
        GROUP BY counters.name
    )

SELECT
    figures.name AS counter,
    if(
        sum(figures.denominator) IS NULL,
        sum(figures.numerator),
        sum(figures.numerator) / nullif(sum(figures.denominator), 0)
    ) AS value,
    figures.unit,
    coalesce(methods.method, 'derived') AS method,
    sum(figures.covered_ns)::BIGINT AS covered_ns,
    sum(figures.negative_steps)::BIGINT AS negative_step_count
FROM counter_figures AS figures
LEFT JOIN methods ON figures.name = methods.name AND NOT figures.is_derived
GROUP BY figures.is_derived, figures.name, figures.unit, methods.method
ORDER BY figures.is_derived, figures.name
