-- Contribution of each location to the critical path.
--
-- Grain:      one row per location that the critical path visits
-- Inputs:     critical_path_locations, critical_path_profile, locations, call_paths, mpi_calls
-- Output:     report section critical path
-- Parameters: $row_limit  maximum number of locations, largest contribution first (BIGINT)
WITH
    setups AS (
        SELECT
            profile.location_id,
            sum(profile.path_ns)::BIGINT AS setup_ns
        FROM critical_path_profile AS profile
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN mpi_calls USING (region_id)
        WHERE mpi_calls.is_setup
        GROUP BY profile.location_id
    )

SELECT
    locations.rank,
    locations.thread,
    parts.computation_ns + parts.communication_ns AS path_ns,
    path_ns / nullif(sum(parts.computation_ns + parts.communication_ns) OVER (), 0) AS path_ratio,
    parts.computation_ns,
    parts.communication_ns - coalesce(setups.setup_ns, 0) AS communication_ns,
    coalesce(setups.setup_ns, 0) AS setup_ns,
    parts.segment_count
FROM critical_path_locations AS parts
INNER JOIN locations ON parts.location_id = locations.location_id
LEFT JOIN setups ON parts.location_id = setups.location_id
ORDER BY path_ns DESC, parts.location_id
LIMIT $row_limit::BIGINT
