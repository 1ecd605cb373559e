-- Duration of each process of a run: the whole process, and the part that the campaign counts.
--
-- Grain:      one row per run and process
-- Inputs:     locations, location_groups, call_tree, call_paths, mpi_calls, regions, visits
-- Output:     campaign table run_tasks
-- Parameters: $is_whole_run        count from the first to the last record of a process; else from
--                                  leaving MPI_Init to entering MPI_Finalize, if it calls them
--                                  (BOOLEAN, default false)
--             $is_setup_included   count MPI_Init and MPI_Finalize as communication and as time of
--                                  the process (BOOLEAN, default false)
-- Assumes:    tables hold several runs, distinguished by run_id; a process calls MPI_Init and
--             MPI_Finalize once, on one of its locations
WITH
    places AS (
        SELECT
            locations.run_id,
            locations.location_id,
            location_groups.rank,
            locations.begin_ns,
            locations.end_ns
        FROM locations
        INNER JOIN location_groups USING (run_id, location_group_id)
        WHERE location_groups.kind = 'process'
    ),

    setup_paths AS (
        SELECT
            call_paths.run_id,
            call_paths.call_path_id,
            mpi_calls.call = 'mpi_finalize' AS is_end
        FROM call_paths
        INNER JOIN mpi_calls USING (run_id, region_id)
        WHERE mpi_calls.is_setup
    ),

    setup_calls AS (
        SELECT
            places.run_id,
            places.rank,
            setup_paths.is_end,
            if($is_setup_included::BOOLEAN, visits.enter_ns, visits.leave_ns) AS begin_ns,
            if($is_setup_included::BOOLEAN, visits.leave_ns, visits.enter_ns) AS end_ns
        FROM visits
        INNER JOIN setup_paths USING (run_id, call_path_id)
        INNER JOIN places USING (run_id, location_id)
    ),

    limits AS (
        SELECT
            run_id,
            rank,
            max(begin_ns) FILTER (WHERE NOT is_end) AS begin_ns,
            min(end_ns) FILTER (WHERE is_end) AS end_ns
        FROM setup_calls
        GROUP BY run_id, rank
    ),

    processes AS (
        SELECT
            run_id,
            rank,
            coalesce(min(begin_ns), 0) AS begin_ns,
            coalesce(max(end_ns), 0) AS end_ns
        FROM places
        GROUP BY run_id, rank
    ),

    counted AS (
        SELECT
            processes.run_id,
            processes.rank,
            processes.end_ns - processes.begin_ns AS whole_ns,
            if($is_whole_run::BOOLEAN, NULL, limits.begin_ns) AS after_ns,
            if($is_whole_run::BOOLEAN, NULL, limits.end_ns) AS before_ns,
            processes.begin_ns,
            processes.end_ns
        FROM processes
        LEFT JOIN limits USING (run_id, rank)
    ),

    communicating AS (
        SELECT
            places.run_id,
            places.rank,
            sum(call_tree.exclusive_ns) AS communication_ns
        FROM call_tree
        INNER JOIN places USING (run_id, location_id)
        INNER JOIN call_paths USING (run_id, call_path_id)
        INNER JOIN regions USING (run_id, region_id)
        LEFT JOIN mpi_calls USING (run_id, region_id)
        WHERE
            regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc')
            AND call_paths.kind <> 'task_stub'
            AND ($is_setup_included::BOOLEAN OR NOT coalesce(mpi_calls.is_setup, FALSE))
        GROUP BY places.run_id, places.rank
    )

SELECT
    counted.run_id,
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
LEFT JOIN communicating USING (run_id, rank)
ORDER BY counted.run_id, counted.rank
