-- What share of its time does each rank spend in MPI?
--
-- Grain:      one row per location with visits
-- Inputs:     flat_profile, mpi_calls, locations
-- Output:     answer
-- Parameters: none
SELECT
    locations.rank,
    locations.thread,
    sum(profile.exclusive_ns) / 1e9 AS seconds,
    coalesce(sum(profile.exclusive_ns) FILTER (mpi_calls.region_id IS NOT NULL), 0) / 1e9
        AS mpi_seconds,
    coalesce(sum(profile.exclusive_ns) FILTER (mpi_calls.region_id IS NOT NULL), 0)
    / nullif(sum(profile.exclusive_ns), 0) AS mpi_ratio
FROM flat_profile AS profile
INNER JOIN locations USING (location_id)
LEFT JOIN mpi_calls USING (region_id)
GROUP BY locations.rank, locations.thread, locations.location_id
ORDER BY mpi_ratio DESC, locations.location_id
