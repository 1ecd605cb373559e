-- Machines, processes and threads of the run for exploration.
--
-- Grain:      one row per location
-- Inputs:     locations, location_groups
-- Output:     report section exploration
-- Parameters: none
SELECT
    locations.location_id,
    locations.name AS location,
    locations.rank,
    locations.thread,
    locations.location_group_id,
    location_groups.name AS process,
    location_groups.system_tree_node_id
FROM locations
INNER JOIN location_groups ON locations.location_group_id = location_groups.location_group_id
WHERE locations.kind <> 'metric' OR locations.visit_count > 0
ORDER BY locations.location_id
