-- Time of each location: outside MPI, in MPI, and in wait states.
--
-- Grain:      one row per location with visits
-- Inputs:     flat_profile, regions, locations, wait_states
-- Output:     report section profile
-- Parameters: $row_limit  maximum number of locations (BIGINT)
WITH
    spent AS (
        SELECT
            flat_profile.location_id,
            sum(flat_profile.exclusive_ns) AS total_ns,
            coalesce(
                sum(flat_profile.exclusive_ns) FILTER (WHERE regions.paradigm = 'mpi'), 0
            ) AS mpi_ns,
            sum(flat_profile.visit_count) AS visit_count
        FROM flat_profile
        INNER JOIN regions ON flat_profile.region_id = regions.region_id
        GROUP BY flat_profile.location_id
    ),

    waits AS (
        SELECT *
        FROM wait_states
        WHERE NOT is_completion
    ),

    waited AS (
        SELECT
            location_id,
            sum(wait_ns) FILTER (WHERE NOT is_extended) AS wait_ns,
            sum(wait_ns) FILTER (WHERE is_extended) AS beyond_ns
        FROM waits
        GROUP BY location_id
    ),

    -- Time that others lost by waiting for this location.
    caused AS (
        SELECT cause_location_id AS location_id, sum(wait_ns) AS caused_ns
        FROM waits
        GROUP BY cause_location_id
    )

SELECT
    locations.rank,
    locations.thread,
    spent.total_ns::BIGINT AS total_ns,
    (spent.total_ns - spent.mpi_ns)::BIGINT AS outside_mpi_ns,
    spent.mpi_ns::BIGINT AS mpi_ns,
    coalesce(waited.wait_ns, 0)::BIGINT AS wait_ns,
    coalesce(waited.beyond_ns, 0)::BIGINT AS beyond_ns,
    coalesce(caused.caused_ns, 0)::BIGINT AS caused_ns,
    spent.visit_count::BIGINT AS visit_count
FROM spent
INNER JOIN locations ON spent.location_id = locations.location_id
LEFT JOIN waited ON spent.location_id = waited.location_id
LEFT JOIN caused ON spent.location_id = caused.location_id
ORDER BY locations.rank, locations.thread, locations.location_id
LIMIT $row_limit::BIGINT
