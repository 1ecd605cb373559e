-- How long each process of a run took, as a whole and in the part that a campaign counts.
--
-- Grain:      one row per process
-- Inputs:     locations, location_groups, call_tree, call_paths, mpi_calls, regions, visits
-- Output:     campaign table run_tasks
-- Parameters: $is_whole_run        count from a process's first record to its last; else from
--                                  leaving MPI_Init to entering MPI_Finalize, where it calls
--                                  them (BOOLEAN, default false)
--             $is_setup_included   count MPI_Init and MPI_Finalize as communication
--                                  (BOOLEAN, default false)
-- Assumes:    a process calls MPI_Init and MPI_Finalize on one of its locations, once
WITH
    places AS (
        SELECT
            locations.location_id,
            location_groups.rank,
            locations.begin_ns,
            locations.end_ns
        FROM locations
        INNER JOIN location_groups USING (location_group_id)
        WHERE location_groups.kind = 'process'
    ),

    setup_paths AS (
        SELECT
            call_paths.call_path_id,
            mpi_calls.call = 'mpi_finalize' AS is_end
        FROM call_paths
        INNER JOIN mpi_calls USING (region_id)
        WHERE mpi_calls.is_setup
    ),

    limits AS (
        SELECT
            places.rank,
            max(visits.leave_ns) FILTER (WHERE NOT setup_paths.is_end) AS begin_ns,
            min(visits.enter_ns) FILTER (WHERE setup_paths.is_end) AS end_ns
        FROM visits
        INNER JOIN setup_paths USING (call_path_id)
        INNER JOIN places USING (location_id)
        GROUP BY places.rank
    ),

    processes AS (
        SELECT
            rank,
            coalesce(min(begin_ns), 0) AS begin_ns,
            coalesce(max(end_ns), 0) AS end_ns
        FROM places
        GROUP BY rank
    ),

    counted AS (
        SELECT
            processes.rank,
            processes.end_ns - processes.begin_ns AS whole_ns,
            if($is_whole_run::BOOLEAN, NULL, limits.begin_ns) AS after_ns,
            if($is_whole_run::BOOLEAN, NULL, limits.end_ns) AS before_ns,
            processes.begin_ns,
            processes.end_ns
        FROM processes
        LEFT JOIN limits USING (rank)
    ),

    communicating AS (
        SELECT
            places.rank,
            sum(call_tree.exclusive_ns) AS communication_ns
        FROM call_tree
        INNER JOIN places USING (location_id)
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN regions USING (region_id)
        LEFT JOIN mpi_calls USING (region_id)
        WHERE
            regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc')
            AND call_paths.kind <> 'task_stub'
            AND ($is_setup_included::BOOLEAN OR NOT coalesce(mpi_calls.is_setup, FALSE))
        GROUP BY places.rank
    )

SELECT
    counted.rank,
    greatest(
        coalesce(counted.before_ns, counted.end_ns) - coalesce(counted.after_ns, counted.begin_ns),
        0
    ) AS time_ns,
    coalesce(communicating.communication_ns, 0)::BIGINT AS communication_ns,
    coalesce(counted.after_ns, counted.begin_ns) AS begin_ns,
    coalesce(counted.before_ns, counted.end_ns) AS end_ns,
    counted.whole_ns
FROM counted
LEFT JOIN communicating USING (rank)
ORDER BY counted.rank
