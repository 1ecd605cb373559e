-- Deviation of the computation of each location from the mean.
--
-- Grain:      one row per location with computation above or below a mean
-- Inputs:     location_imbalance, locations
-- Output:     report section load balance
-- Parameters: $row_limit  maximum number of locations (BIGINT)
SELECT
    locations.rank,
    locations.thread,
    spread.computation_ns,
    spread.overload_ns,
    spread.single_participant_ns,
    spread.underload_ns,
    spread.non_participation_ns
FROM location_imbalance AS spread
INNER JOIN locations ON spread.location_id = locations.location_id
WHERE spread.overload_ns > 0 OR spread.underload_ns > 0
ORDER BY locations.rank, locations.thread, spread.location_id
LIMIT $row_limit::BIGINT
