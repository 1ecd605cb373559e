-- Counters and derived counters per location.
--
-- Grain:      one row per counter and location with known values
-- Inputs:     counter_figures, locations
-- Output:     command counters
-- Parameters: none
-- Assumes:    nothing
SELECT
    figures.name AS counter,
    locations.rank,
    locations.thread,
    if(
        sum(figures.denominator) IS NULL,
        sum(figures.numerator),
        sum(figures.numerator) / nullif(sum(figures.denominator), 0)
    ) AS value,
    figures.unit,
    sum(figures.covered_ns)::BIGINT AS covered_ns,
    sum(figures.negative_steps)::BIGINT AS negative_steps
FROM counter_figures AS figures
INNER JOIN locations ON figures.location_id = locations.location_id
GROUP BY
    figures.is_derived, figures.name, figures.unit, locations.rank, locations.thread,
    locations.location_id
ORDER BY figures.is_derived, figures.name, locations.location_id
