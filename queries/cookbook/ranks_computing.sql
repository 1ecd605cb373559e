-- How much time does each rank compute, compared with the mean?
--
-- Grain:      one row per location
-- Inputs:     location_imbalance, locations
-- Output:     answer
-- Parameters: none
SELECT
    locations.rank,
    locations.thread,
    imbalance.computation_ns / 1e9 AS computation_seconds,
    imbalance.computation_ns / nullif(avg(imbalance.computation_ns) OVER (), 0) AS to_mean
FROM location_imbalance AS imbalance
INNER JOIN locations USING (location_id)
ORDER BY imbalance.computation_ns DESC, imbalance.location_id
