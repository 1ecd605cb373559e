-- Computation and communication on the critical path, per location.
--
-- Grain:      one row per location that the critical path visits
-- Inputs:     critical_path_segments, critical_path_profile, mpi_call_paths
-- Needs rows: critical_path_segments
-- Output:     critical_path_locations
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): share of the path per process
-- Assumes:    communication is time in MPI calls that are not local
WITH
    segment_counts AS (
        SELECT
            location_id,
            count(*) AS segment_count
        FROM critical_path_segments
        GROUP BY location_id
    ),

    path_times AS (
        SELECT
            location_id,
            sum(path_ns) AS path_ns,
            sum(path_ns) FILTER (
                WHERE call_path_id IN (SELECT call_path_id FROM mpi_call_paths WHERE NOT is_local)
            ) AS communication_ns
        FROM critical_path_profile
        GROUP BY location_id
    )

SELECT
    segment_counts.location_id,
    segment_counts.segment_count,
    coalesce(path_times.path_ns - coalesce(path_times.communication_ns, 0), 0)::BIGINT
        AS computation_ns,
    coalesce(path_times.communication_ns, 0)::BIGINT AS communication_ns
FROM segment_counts
LEFT JOIN path_times USING (location_id)
ORDER BY segment_counts.location_id
