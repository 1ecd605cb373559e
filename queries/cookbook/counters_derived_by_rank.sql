-- How do derived counters, such as instructions per cycle, differ between ranks?
--
-- Grain:      one row per derived counter and rank
-- Inputs:     counter_figures, locations
-- Output:     answer
-- Parameters: none
SELECT
    figures.name,
    locations.rank,
    sum(figures.numerator) / nullif(sum(figures.denominator), 0) AS value,
    figures.unit
FROM counter_figures AS figures
INNER JOIN locations USING (location_id)
WHERE figures.is_derived
GROUP BY figures.name, figures.unit, locations.rank
ORDER BY figures.name, locations.rank
