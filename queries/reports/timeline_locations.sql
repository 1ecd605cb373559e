-- Rows of the timeline: all locations with code, with threads below their process.
--
-- Grain:      one row per location
-- Inputs:     locations, location_groups, process_nodes
-- Output:     report section timeline
-- Parameters: none
SELECT
    locations.location_id,
    locations.location_group_id,
    locations.rank,
    locations.thread,
    locations.name AS location,
    location_groups.name AS process,
    process_nodes.node
FROM locations
INNER JOIN location_groups ON locations.location_group_id = location_groups.location_group_id
LEFT JOIN process_nodes ON locations.location_group_id = process_nodes.location_group_id
WHERE locations.kind <> 'metric' OR locations.visit_count > 0
ORDER BY locations.rank, locations.location_group_id, locations.thread, locations.location_id
