-- Counters and derived counters of the run.
--
-- Grain:      one row per counter of call paths
-- Inputs:     counter_figures, counter_profile, counters
-- Needs rows: counter_figures
-- Output:     report section counters
-- Parameters: none
-- Assumes:    a counter of call paths has values over time, by the same method
WITH
    methods AS (
        SELECT
            counters.name,
            max(profile.method::VARCHAR) AS method
        FROM counter_profile AS profile
        INNER JOIN counters ON profile.counter_id = counters.counter_id
        WHERE profile.scope = 'location'
        GROUP BY counters.name
    ),

    totals AS (
        SELECT
            name,
            any_value(unit) AS unit,
            is_derived,
            sum(numerator) AS numerator,
            sum(denominator) AS denominator,
            sum(covered_ns)::BIGINT AS covered_ns,
            sum(negative_steps)::BIGINT AS negative_step_count
        FROM counter_figures
        GROUP BY name, is_derived
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
