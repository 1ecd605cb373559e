-- What each process contributes to the critical path.
--
-- Grain:      one row per location that the critical path visits
-- Inputs:     critical_path_locations, locations
-- Output:     report section critical path
-- Parameters: $row_limit  only the locations with most of the path (BIGINT)
SELECT
    locations.rank,
    locations.thread,
    parts.computation_ns + parts.communication_ns AS path_ns,
    path_ns / nullif(sum(parts.computation_ns + parts.communication_ns) OVER (), 0) AS path_ratio,
    parts.computation_ns,
    parts.communication_ns,
    parts.segment_count
FROM critical_path_locations AS parts
INNER JOIN locations ON parts.location_id = locations.location_id
ORDER BY path_ns DESC, parts.location_id
LIMIT $row_limit::BIGINT
