-- Calls in which locations may wait, but whose waiting is not analyzed.
--
-- Grain:      one row per kind of call that took time
-- Inputs:     flat_profile, main_times, regions, mpi_calls, region_classes, overhead_classes,
--             collectives, collective_members, collective_file_calls, wait_states, call_paths,
--             thread_teams, lock_operations, rma_operations, locations, main_part
-- Output:     report section wait states
-- Parameters: none
-- Assumes:    messages, collectives and collective file access between processes, one-sided
--             communication of MPI, barriers of thread teams, and locks are analyzed if the trace
--             records them
WITH
    classes AS (
        SELECT
            regions.region_id,
            regions.paradigm,
            regions.name,
            coalesce(substr(mpi_calls.call, 5), '') AS call,
            overhead_classes.overhead_class,
            overhead_classes.overhead_subclass
        FROM regions
        LEFT JOIN mpi_calls ON regions.region_id = mpi_calls.region_id
        INNER JOIN region_classes ON regions.region_id = region_classes.region_id
        INNER JOIN overhead_classes ON region_classes.overhead_id = overhead_classes.overhead_id
    ),

    -- Some measurement systems record only the regions of nonblocking collectives, not their
    -- events.
    unrecorded AS (
        SELECT count(*) > 0 AS is_unrecorded
        FROM classes
        SEMI JOIN flat_profile ON classes.region_id = flat_profile.region_id
        WHERE
            regexp_matches(
                classes.call, '^i(neighbor_|barrier|bcast|gather|scatter|all|reduce|scan|exscan)'
            )
            AND NOT EXISTS (FROM collectives WHERE is_nonblocking)
    ),

    locking AS (
        SELECT DISTINCT call_paths.region_id
        FROM lock_operations
        INNER JOIN call_paths ON lock_operations.call_path_id = call_paths.call_path_id
    ),

    timed AS (
        SELECT region_id, sum(time_ns) AS time_ns
        FROM main_times
        GROUP BY region_id
    ),

    profiled AS (
        SELECT
            flat_profile.region_id,
            coalesce(any_value(timed.time_ns), 0) AS time_ns,
            sum(flat_profile.visit_count) AS visit_count
        FROM flat_profile
        LEFT JOIN timed USING (region_id)
        GROUP BY flat_profile.region_id
    ),

    -- Calls of file accesses with all processes known; split accesses consist of two calls.
    file_calls AS (
        SELECT visit_id, call_path_id FROM collective_file_calls WHERE is_complete
        UNION
        SELECT start_visit_id, start_call_path_id FROM collective_file_calls WHERE is_complete
    ),

    known_file_calls AS (
        SELECT call_paths.region_id, count(*) AS visit_count
        FROM file_calls
        INNER JOIN call_paths ON file_calls.call_path_id = call_paths.call_path_id
        GROUP BY call_paths.region_id
    ),

    known_file_regions AS (
        SELECT profiled.region_id
        FROM profiled
        INNER JOIN known_file_calls ON profiled.region_id = known_file_calls.region_id
        WHERE profiled.visit_count = known_file_calls.visit_count
    ),

    one_sided AS (
        SELECT DISTINCT classes.region_id
        FROM rma_operations
        INNER JOIN call_paths ON rma_operations.call_path_id = call_paths.call_path_id
        INNER JOIN classes ON call_paths.region_id = classes.region_id
        WHERE classes.call <> ''
    ),

    kinds AS (
        SELECT
            classes.region_id,
            CASE
                WHEN classes.region_id IN (FROM one_sided) THEN NULL
                WHEN classes.overhead_subclass = 'put/get' OR starts_with(classes.call, 'win_')
                    THEN 'one-sided communication'
                WHEN regexp_matches(classes.call, '^file_(open|close|.*_(all|ordered))')
                    THEN
                        if(
                            known_file_regions.region_id IS NULL,
                            'collective file access with missing members',
                            NULL
                        )
                WHEN
                    regexp_matches(
                        classes.call,
                        '^(comm_(create|dup|split|idup|accept|connect|spawn)'
                        || '|cart_create|cart_sub|graph_create|dist_graph|intercomm_)'
                    )
                    THEN 'creating communicators'
                WHEN classes.call IN ('probe', 'mprobe') THEN 'probing for messages'
                WHEN
                    unrecorded.is_unrecorded
                    AND classes.call IN ('wait', 'waitall', 'waitany', 'waitsome')
                    THEN 'completing nonblocking collectives, which are not recorded'
                WHEN
                    classes.paradigm = 'openmp'
                    AND classes.overhead_subclass = 'barrier'
                    AND EXISTS (FROM thread_teams)
                    THEN NULL
                -- Recorded locks, and calls that do not wait for locks.
                WHEN
                    classes.overhead_subclass IN ('lock', 'condition')
                    AND (
                        classes.region_id IN (FROM locking)
                        OR regexp_matches(
                            classes.name,
                            '^(omp_(init|destroy|unset|test)_'
                            || '|pthread_[a-z]+_(init|destroy|unlock|try|signal|broadcast))'
                        )
                    )
                    THEN NULL
                -- Calls that wait for a device whose kernels are recorded.
                WHEN
                    regexp_matches(classes.name, '(Synchronize|^clFinish|^clWaitForEvents)')
                    AND classes.paradigm IN ('cuda', 'hip', 'opencl')
                    AND EXISTS (FROM locations WHERE kind = 'gpu')
                    THEN NULL
                WHEN classes.paradigm <> 'mpi' AND classes.overhead_class = 'synchronisation'
                    THEN 'synchronization of threads and devices'
            END AS kind
        FROM classes
        CROSS JOIN unrecorded
        LEFT JOIN known_file_regions ON classes.region_id = known_file_regions.region_id
    ),

    -- Waits found in such calls, for example for messages in MPI_Waitall, are analyzed.
    waited AS (
        SELECT call_paths.region_id, sum(wait_states.wait_ns) AS wait_ns
        FROM wait_states
        INNER JOIN call_paths ON wait_states.call_path_id = call_paths.call_path_id
        GROUP BY call_paths.region_id
    ),

    spent AS (
        SELECT kinds.kind, sum(profiled.time_ns - coalesce(waited.wait_ns, 0)) AS time_ns
        FROM profiled
        INNER JOIN kinds ON profiled.region_id = kinds.region_id
        LEFT JOIN waited ON profiled.region_id = waited.region_id
        WHERE kinds.kind IS NOT NULL
        GROUP BY kinds.kind
        UNION ALL
        SELECT
            'collectives with missing members' AS kind,
            sum(
                greatest(
                    least(collective_members.leave_ns, main_part.end_ns)
                    - greatest(collective_members.enter_ns, main_part.begin_ns),
                    0
                )
            ) AS time_ns
        FROM collectives
        INNER JOIN collective_members
            ON collectives.collective_id = collective_members.collective_id
        CROSS JOIN main_part
        WHERE NOT collectives.is_complete
    ),

    total AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    spent.kind,
    spent.time_ns::BIGINT AS time_ns,
    spent.time_ns / nullif(total.total_ns, 0) AS time_ratio
FROM spent
CROSS JOIN total
WHERE spent.time_ns > 0
ORDER BY spent.time_ns DESC, spent.kind
