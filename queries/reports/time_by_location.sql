-- Time of each location: outside MPI, in MPI, and in wait states.
--
-- Grain:      one row per location with visits
-- Inputs:     main_times, flat_profile, regions, locations, main_waits
-- Output:     report section profile
-- Parameters: $row_limit  maximum number of locations (BIGINT)
WITH
    spent AS (
        SELECT
            main_times.location_id,
            sum(main_times.time_ns) AS total_ns,
            coalesce(
                sum(main_times.time_ns) FILTER (WHERE regions.paradigm = 'mpi'), 0
            ) AS mpi_ns
        FROM main_times
        INNER JOIN regions ON main_times.region_id = regions.region_id
        GROUP BY main_times.location_id
    ),

    visited AS (
        SELECT location_id, sum(visit_count) AS visit_count
        FROM flat_profile
        GROUP BY location_id
    ),

    waited AS (
        SELECT
            location_id,
            sum(main_ns) FILTER (WHERE NOT is_extended) AS wait_ns,
            sum(main_ns) FILTER (WHERE is_extended) AS extended_ns
        FROM main_waits
        GROUP BY location_id
    ),

    -- Time that others lost by waiting for this location.
    caused AS (
        SELECT cause_location_id AS location_id, sum(main_ns) AS caused_ns
        FROM main_waits
        GROUP BY cause_location_id
    )

SELECT
    locations.rank,
    locations.thread,
    coalesce(spent.total_ns, 0)::BIGINT AS total_ns,
    coalesce(spent.total_ns - spent.mpi_ns, 0)::BIGINT AS outside_mpi_ns,
    coalesce(spent.mpi_ns, 0)::BIGINT AS mpi_ns,
    coalesce(waited.wait_ns, 0)::BIGINT AS wait_ns,
    coalesce(waited.extended_ns, 0)::BIGINT AS extended_ns,
    coalesce(caused.caused_ns, 0)::BIGINT AS caused_ns,
    visited.visit_count::BIGINT AS visit_count
FROM visited
INNER JOIN locations ON visited.location_id = locations.location_id
LEFT JOIN spent ON visited.location_id = spent.location_id
LEFT JOIN waited ON visited.location_id = waited.location_id
LEFT JOIN caused ON visited.location_id = caused.location_id
ORDER BY locations.rank, locations.thread, locations.location_id
LIMIT $row_limit::BIGINT
