-- Calls in which locations may wait without the analysis telling how much of it is waiting.
--
-- Grain:      one row per kind of call that took time
-- Inputs:     flat_profile, regions, collective_members
-- Output:     report section wait states
-- Parameters: none
-- Assumes:    only waits on messages between processes are analysed
WITH
    classes AS (
        SELECT
            region_id,
            CASE
                WHEN
                    paradigm = 'mpi'
                    AND (role = 'barrier' OR starts_with(role::VARCHAR, 'coll_'))
                    THEN 'collectives and barriers'
                WHEN
                    role = 'rma'
                    OR paradigm IN ('shmem', 'gaspi', 'upc')
                    OR regexp_matches(
                        lower(name),
                        '^mpi_(win_|r?(put|get)$|r?(get_)?accumulate|fetch_and_op|compare_and)'
                    )
                    THEN 'one-sided communication'
                WHEN
                    paradigm <> 'mpi'
                    AND (
                        role IN (
                            'barrier', 'implicit_barrier', 'critical', 'atomic', 'ordered',
                            'task_wait', 'thread_wait'
                        )
                        OR regexp_matches(lower(name), 'mutex_lock|cond_(timed)?wait|pthread_join')
                    )
                    THEN 'thread synchronisation'
            END AS kind
        FROM regions
    ),

    -- Non-blocking collectives are waited for in MPI_Wait and its like.
    completing AS (
        SELECT DISTINCT visit_id, leave_ns - enter_ns AS time_ns
        FROM collective_members
        WHERE start_visit_id <> visit_id
    ),

    spent AS (
        SELECT classes.kind, sum(flat_profile.exclusive_ns) AS time_ns
        FROM flat_profile
        INNER JOIN classes ON flat_profile.region_id = classes.region_id
        WHERE classes.kind IS NOT NULL
        GROUP BY classes.kind
        UNION ALL
        SELECT 'completing non-blocking collectives' AS kind, sum(time_ns) AS time_ns
        FROM completing
    ),

    profiled AS (SELECT sum(exclusive_ns) AS total_ns FROM flat_profile)

SELECT
    spent.kind,
    spent.time_ns::BIGINT AS time_ns,
    spent.time_ns / nullif(profiled.total_ns, 0) AS time_ratio
FROM spent
CROSS JOIN profiled
WHERE spent.time_ns > 0
ORDER BY spent.time_ns DESC, spent.kind
