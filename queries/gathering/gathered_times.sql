-- Duration of each process of a run: the whole process, and the part that the campaign counts.
--
-- Grain:      one row per run and process
-- Inputs:     locations, location_groups, call_tree, call_paths, mpi_calls, regions, visits,
--             setup_times
-- Output:     campaign table run_tasks
-- Parameters: $is_setup_included  count from the first to the last record of a process, and
--             MPI_Init and MPI_Finalize as communication; else from the end of the last MPI_Init to
--             the start of the first MPI_Finalize, if there are any (BOOLEAN, default false)
-- Assumes:    tables hold several runs, distinguished by run_id
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

    limits AS (
        SELECT
            places.run_id,
            max(visits.leave_ns) FILTER (WHERE NOT setup_paths.is_end) AS begin_ns,
            min(visits.enter_ns) FILTER (WHERE setup_paths.is_end) AS end_ns
        FROM visits
        INNER JOIN setup_paths USING (run_id, call_path_id)
        INNER JOIN places USING (run_id, location_id)
        WHERE NOT $is_setup_included::BOOLEAN
        GROUP BY places.run_id
        HAVING coalesce(begin_ns < end_ns, TRUE)
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
            coalesce(limits.begin_ns, processes.begin_ns) AS begin_ns,
            coalesce(limits.end_ns, processes.end_ns) AS end_ns
        FROM processes
        LEFT JOIN limits USING (run_id)
    ),

    communicating AS (
        SELECT
            places.run_id,
            places.rank,
            sum(
                call_tree.exclusive_ns
                - if($is_setup_included::BOOLEAN, 0, coalesce(setup_times.time_ns, 0))
            ) AS communication_ns
        FROM call_tree
        LEFT JOIN setup_times USING (run_id, call_path_id, location_id)
        INNER JOIN places USING (run_id, location_id)
        INNER JOIN call_paths USING (run_id, call_path_id)
        INNER JOIN regions USING (run_id, region_id)
        LEFT JOIN mpi_calls USING (run_id, region_id)
        WHERE
            regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc')
            AND call_paths.kind <> 'task_stub'
            AND NOT coalesce(mpi_calls.is_local, FALSE)
            AND ($is_setup_included::BOOLEAN OR NOT coalesce(mpi_calls.is_setup, FALSE))
        GROUP BY places.run_id, places.rank
    )

SELECT
    counted.run_id,
    counted.rank,
    greatest(counted.end_ns - counted.begin_ns, 0) AS time_ns,
    coalesce(communicating.communication_ns, 0)::BIGINT AS communication_ns,
    counted.begin_ns,
    counted.end_ns,
    counted.whole_ns
FROM counted
LEFT JOIN communicating USING (run_id, rank)
ORDER BY counted.run_id, counted.rank
