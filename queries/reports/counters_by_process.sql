-- Counters and derived counters per process, of its locations together.
--
-- Grain:      one row per counter and process with known values
-- Inputs:     counter_figures, locations, location_groups
-- Output:     command counters
-- Parameters: none
-- Assumes:    nothing
SELECT
    figures.name AS counter,
    processes.rank,
    processes.name AS process,
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
INNER JOIN location_groups AS processes ON locations.location_group_id = processes.location_group_id
GROUP BY
    figures.is_derived, figures.name, figures.unit, processes.rank, processes.name,
    processes.location_group_id
ORDER BY figures.is_derived, figures.name, processes.location_group_id
