-- Primitive activities of CPU threads in the main part of the run.
--
-- The class of overhead of a call path determines its activity. Blocked time in wait states is
-- taken off it; waits of one call that overlap count once. Time outside visits has no call path:
-- workers of a team are idle, also before and after their process; of others, it is unknown.
--
--     MPI_Recv     [communicating   ]
--     Late Sender  [blocked  ]
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per CPU thread, call path and activity with time in the main part
-- Inputs:     main_times, fork_join_times, setup_times, region_classes, overhead_classes,
--             wait_states, main_part, focus, locations, thread_team_members
-- Output:     activity_times
-- Parameters: none
-- Source:     Wolf and Mohr (EXPERT); Truong and Fahringer 2001 (SCALEA) for the classes
-- Assumes:    nothing
WITH
    classes AS (
        SELECT COLUMNS('^(run_id|overhead_id|overhead_subclass|activity)$')
        FROM overhead_classes
    ),

    threads AS (
        SELECT
            COLUMNS('^(run_id|location_id|focus_ns)$'),
            thread > 0 AS can_be_worker
        FROM (SELECT * EXCLUDE (begin_ns, end_ns) FROM locations)
        NATURAL INNER JOIN (
            SELECT
                COLUMNS('^(run_id|location_id)$'),
                sum(end_ns - begin_ns) AS focus_ns
            FROM focus
            GROUP BY ALL
        )
        WHERE kind <> 'gpu' AND (kind <> 'metric' OR visit_count > 0)
    ),

    parts AS (
        SELECT
            COLUMNS('^(run_id|begin_ns|end_ns)$'),
            TRUE AS is_any
        FROM main_part
    ),

    -- Waits of a call in the main part, in their order.
    blocked_calls AS (
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id|visit_id)$'),
            list_sort(
                list({
                    'from_ns': greatest(start_ns, begin_ns),
                    'to_ns': least(start_ns + wait_ns, end_ns)
                })
            ) AS waits
        FROM (SELECT *, TRUE AS is_any FROM wait_states WHERE NOT is_completion)
        NATURAL INNER JOIN parts
        WHERE start_ns < end_ns AND start_ns + wait_ns > begin_ns
        GROUP BY ALL
    ),

    blocked AS (
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id)$'),
            sum(
                list_sum([
                    greatest(
                        wait.to_ns - list_max(
                            [wait.from_ns] || [other.to_ns FOR other IN waits[:place - 1]]
                        ),
                        0
                    ) FOR wait, place IN waits
                ])
            )::BIGINT AS blocked_ns
        FROM blocked_calls
        GROUP BY ALL
    ),

    -- Fork and join of a parallel region have a class of their own.
    forks AS (
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id)$'),
            fork_join_ns - coalesce(outside_ns, 0) AS fork_join_ns
        FROM fork_join_times
        NATURAL LEFT JOIN (
            SELECT
                COLUMNS('^(run_id|location_id|call_path_id)$'),
                fork_join_ns AS outside_ns
            FROM setup_times
        )
    ),

    called AS (
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id|activity)$'),
            time_ns - coalesce(fork_join_ns, 0) AS call_ns,
            least(coalesce(blocked_ns, 0), call_ns) AS blocked_ns
        FROM main_times
        NATURAL INNER JOIN region_classes
        NATURAL INNER JOIN classes
        NATURAL INNER JOIN threads
        NATURAL LEFT JOIN forks
        NATURAL LEFT JOIN blocked
    ),

    visited AS (
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id|activity)$'),
            call_ns - blocked_ns AS time_ns
        FROM called
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id)$'),
            'blocked' AS activity,
            blocked_ns AS time_ns
        FROM called
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|location_id|call_path_id|activity)$'),
            fork_join_ns AS time_ns
        FROM (SELECT *, 'fork/join' AS overhead_subclass FROM forks)
        NATURAL INNER JOIN classes
    ),

    outside AS (
        SELECT
            COLUMNS('^(run_id|location_id)$'),
            if(can_be_worker AND is_member, 'idle', 'unknown') AS activity,
            focus_ns - coalesce(visited_ns, 0) AS time_ns
        FROM threads
        NATURAL LEFT JOIN (
            SELECT DISTINCT
                COLUMNS('^(run_id|location_id)$'),
                TRUE AS is_member
            FROM thread_team_members
        )
        NATURAL LEFT JOIN (
            SELECT
                COLUMNS('^(run_id|location_id)$'),
                sum(time_ns) AS visited_ns
            FROM visited
            GROUP BY ALL
        )
    )

SELECT
    COLUMNS('^(run_id|location_id|call_path_id|activity)$'),
    sum(time_ns)::BIGINT AS time_ns
FROM (
    FROM visited
    UNION ALL BY NAME
    FROM outside
)
GROUP BY ALL
HAVING sum(time_ns) <> 0
