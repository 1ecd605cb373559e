-- How the time of all locations divides: program code, libraries, and waiting inside them.
--
-- Grain:      one row per part that took time
-- Inputs:     flat_profile, regions, call_paths, wait_states
-- Output:     report section summary
-- Parameters: none
-- Assumes:    wait states lie within the exclusive time of their call path's region
WITH
    -- What compilers and people instrument is the program itself.
    classes AS (
        SELECT
            region_id,
            CASE
                WHEN paradigm IN ('user', 'compiler') THEN 'program code'
                WHEN paradigm = 'measurement_system' THEN 'measurement'
                WHEN
                    paradigm = 'mpi'
                    AND (role = 'barrier' OR starts_with(role::VARCHAR, 'coll_'))
                    THEN 'MPI collectives and barriers, waiting inside not analysed'
                WHEN
                    paradigm = 'mpi'
                    AND (
                        role = 'rma'
                        OR regexp_matches(
                            lower(name),
                            '^mpi_(win_|r?(put|get)$|r?(get_)?accumulate|fetch_and_op|compare_and)'
                        )
                    )
                    THEN 'MPI one-sided, waiting inside not analysed'
                WHEN
                    paradigm = 'mpi'
                    AND lower(name) IN ('mpi_init', 'mpi_init_thread', 'mpi_finalize')
                    THEN 'MPI start and end'
                WHEN paradigm = 'mpi' AND role = 'point2point'
                    THEN 'MPI point-to-point, not waiting'
                WHEN paradigm = 'mpi' THEN 'MPI, other calls'
                WHEN
                    role IN (
                        'barrier', 'implicit_barrier', 'critical', 'atomic', 'ordered',
                        'task_wait', 'thread_wait'
                    )
                    OR regexp_matches(lower(name), 'mutex_lock|cond_(timed)?wait|pthread_join')
                    THEN 'thread synchronisation, waiting inside not analysed'
                WHEN paradigm = 'openmp' THEN 'OpenMP'
                ELSE replace(paradigm::VARCHAR, '_', ' ')
            END AS part
        FROM regions
    ),

    spent AS (
        SELECT classes.part, sum(flat_profile.exclusive_ns) AS time_ns
        FROM flat_profile
        INNER JOIN classes ON flat_profile.region_id = classes.region_id
        GROUP BY classes.part
    ),

    waited AS (
        SELECT classes.part, sum(wait_states.wait_ns) AS wait_ns
        FROM wait_states
        INNER JOIN call_paths ON wait_states.call_path_id = call_paths.call_path_id
        INNER JOIN classes ON call_paths.region_id = classes.region_id
        GROUP BY classes.part
    ),

    divided AS (
        SELECT
            spent.part,
            spent.time_ns,
            least(coalesce(waited.wait_ns, 0), spent.time_ns) AS wait_ns
        FROM spent
        LEFT JOIN waited ON spent.part = waited.part
    ),

    parts AS (
        SELECT part, time_ns - wait_ns AS time_ns
        FROM divided
        UNION ALL
        SELECT 'waiting on messages' AS part, wait_ns AS time_ns
        FROM divided
    )

SELECT
    part,
    sum(time_ns)::BIGINT AS time_ns,
    sum(time_ns) / nullif(sum(sum(time_ns)) OVER (), 0) AS time_ratio
FROM parts
GROUP BY part
HAVING sum(time_ns) <> 0
ORDER BY time_ns DESC, part
