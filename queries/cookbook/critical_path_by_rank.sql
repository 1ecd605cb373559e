-- Which ranks is the critical path on, and how much of it is communication?
--
-- Grain:      one row per location that the critical path visits
-- Inputs:     critical_path_locations, locations
-- Output:     answer
-- Parameters: none
SELECT
    locations.rank,
    locations.thread,
    path.segment_count,
    path.computation_ns / 1e9 AS computation_seconds,
    path.communication_ns / 1e9 AS communication_seconds
FROM critical_path_locations AS path
INNER JOIN locations USING (location_id)
ORDER BY path.computation_ns + path.communication_ns DESC, path.location_id
