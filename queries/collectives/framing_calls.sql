-- MPI_Init and MPI_Finalize of each process, with the process that entered last and the one that
-- left first.
--
-- Of processes that enter or leave at the same time, the one with the lowest rank counts.
--
-- Grain:      one row per process and call, if all processes made that call
-- Inputs:     visits, mpi_call_paths, locations, location_groups
-- Needs rows: mpi_call_paths
-- Output:     framing_calls
-- Parameters: none
-- Source:     MPI 4.0, section 11.2.1 and 11.2.2
-- Assumes:    MPI_Init does not have to wait for other processes, but it ends for all together
WITH
    framing_paths AS (
        SELECT
            call_path_id,
            call = 'mpi_finalize' AS is_finalize
        FROM mpi_call_paths
        WHERE is_setup
    ),

    -- The outermost call, if wrappers are nested.
    calls AS (
        SELECT
            framing_paths.is_finalize,
            locations.location_group_id,
            locations.rank,
            visits.location_id,
            visits.visit_id,
            visits.call_path_id,
            visits.enter_ns,
            visits.leave_ns
        FROM visits
        INNER JOIN framing_paths USING (call_path_id)
        INNER JOIN locations USING (location_id)
        QUALIFY
            row_number() OVER (
                PARTITION BY framing_paths.is_finalize, locations.location_group_id
                ORDER BY visits.enter_ns, visits.visit_id
            ) = 1
    ),

    processes AS (
        SELECT count(DISTINCT location_group_id) AS process_count
        FROM locations
        INNER JOIN location_groups USING (location_group_id)
        WHERE location_groups.kind = 'process'
    ),

    -- If a process is missing, the first and last ones are unknown.
    together AS (
        SELECT
            *,
            max({
                'enter_ns': enter_ns,
                'precedence': -rank,
                'location_id': location_id,
                'visit_id': visit_id
            }) OVER everyone AS last_one,
            min({
                'leave_ns': leave_ns,
                'rank': rank,
                'location_id': location_id,
                'visit_id': visit_id
            }) OVER everyone AS first_one
        FROM calls
        WINDOW everyone AS (PARTITION BY is_finalize)
        QUALIFY count(*) OVER everyone = (SELECT process_count FROM processes)
    )

SELECT
    is_finalize,
    location_id,
    visit_id,
    call_path_id,
    enter_ns,
    leave_ns,
    last_one.enter_ns AS last_enter_ns,
    last_one.location_id AS last_location_id,
    last_one.visit_id AS last_visit_id,
    greatest(least(last_enter_ns, leave_ns) - enter_ns, 0) AS wait_ns,
    first_one.leave_ns AS first_leave_ns,
    first_one.location_id AS first_location_id,
    first_one.visit_id AS first_visit_id,
    if(last_enter_ns > leave_ns, 50, 100)::TINYINT AS confidence
FROM together
