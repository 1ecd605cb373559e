-- How long the critical path is, of what it consists, and which process contributes most.
--
-- Grain:      one row if the trace has a critical path
-- Inputs:     critical_path_summary, critical_path_locations, critical_path_profile, locations,
--             call_paths, mpi_calls
-- Output:     report section critical path
-- Parameters: none
-- Assumes:    ties go to the location with the smallest number
WITH
    lengths AS (
        SELECT
            *,
            computation_ns + communication_ns AS path_ns
        FROM critical_path_summary
    ),

    -- Start and end of MPI are part of the path, but nothing that a program could do better.
    setups AS (
        SELECT coalesce(sum(profile.path_ns), 0)::BIGINT AS setup_ns
        FROM critical_path_profile AS profile
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN mpi_calls USING (region_id)
        WHERE mpi_calls.call IN ('mpi_init', 'mpi_init_thread', 'mpi_finalize')
    ),

    contributors AS (
        SELECT
            locations.rank,
            parts.computation_ns + parts.communication_ns AS contributed_ns
        FROM critical_path_locations AS parts
        INNER JOIN locations USING (location_id)
        ORDER BY contributed_ns DESC, parts.location_id
        LIMIT 1
    )

SELECT
    lengths.path_ns,
    lengths.path_ns / nullif(lengths.wall_ns, 0) AS path_ratio,
    lengths.computation_ns / nullif(lengths.path_ns, 0) AS computation_ratio,
    (lengths.communication_ns - setups.setup_ns) / nullif(lengths.path_ns, 0)
        AS communication_ratio,
    setups.setup_ns / nullif(lengths.path_ns, 0) AS setup_ratio,
    lengths.segment_count,
    lengths.location_count,
    lengths.is_whole,
    contributors.rank AS worst_rank,
    contributors.contributed_ns AS worst_ns
FROM lengths
CROSS JOIN setups
CROSS JOIN contributors
ORDER BY lengths.begin_ns
