-- What each CPU thread does at every moment of the run, as stretches of one activity.
--
-- The class of overhead at a moment determines the activity. A visit moves its location from the
-- activity of its caller to its own, and back at its end; other changes of the class count alike.
-- Each activity has a code. The sum of all changes until a moment is the code of the activity then:
--
--     solve      [computing                    ]
--     MPI_Recv        [communicating   ]
--     change     +a   +c-a              -c+a    -a
--     sum        a    c                 a       0
--
-- Codes consist of the number of an activity and of its square, so that no other sum is a code.
-- Higher bits of the sum mark waits of calls of each activity.
--
-- Where visits overlap, because clocks or records are wrong, the activity is unknown. Stretches of
-- a location lie end to end, from the begin to the end of the run.
--
-- Grain:      one row per CPU thread and stretch of one activity
-- Inputs:     visits, call_paths, region_classes, overhead_classes, location_bases, locations,
--             class_changes, wait_states
-- Output:     activities
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA) for classes, Wolf and Mohr (EXPERT) for waiting
-- Assumes:    nothing
WITH
    -- Numbers of activities, in the order of the declared column.
    numbers AS (
        SELECT
            overhead_id,
            CASE
                WHEN overhead_class IN ('computation', 'additional computation') THEN 1
                WHEN overhead_subclass = 'local memory' THEN 1
                WHEN overhead_subclass = 'I/O' THEN 5
                WHEN overhead_class = 'data movement' THEN 3
                WHEN overhead_class = 'synchronisation' THEN 4
                WHEN overhead_class = 'control of parallelism' THEN 6
                WHEN overhead_subclass = 'idle threads' THEN 7
                WHEN overhead_class = 'loss of parallelism' THEN 1
                ELSE 8
            END AS activity
        FROM overhead_classes
    ),

    -- The codes of activities 1 to 8.
    code_list AS (
        SELECT [n * n * (1::BIGINT << 32) + n * (1 << 16) + 1 FOR n IN range(1, 9)] AS codes
    ),

    codes AS (
        SELECT
            overhead_id,
            activity,
            code_list.codes[activity] AS code
        FROM numbers
        CROSS JOIN code_list
    ),

    threads AS (
        SELECT
            location_bases.location_id,
            location_bases.run_begin_ns AS begin_ns,
            location_bases.run_end_ns AS end_ns,
            codes.code
        FROM location_bases
        INNER JOIN locations USING (location_id)
        INNER JOIN codes USING (overhead_id)
        WHERE locations.kind <> 'gpu'
    ),

    path_codes AS (
        SELECT
            call_paths.call_path_id,
            own.activity,
            coalesce(callers.code, own.code) AS root_code,
            own.code - callers.code AS change
        FROM call_paths
        INNER JOIN region_classes ON call_paths.region_id = region_classes.region_id
        INNER JOIN codes AS own ON region_classes.overhead_id = own.overhead_id
        LEFT JOIN region_classes AS caller_classes
            ON call_paths.caller_region_id = caller_classes.region_id
        LEFT JOIN codes AS callers ON caller_classes.overhead_id = callers.overhead_id
    ),

    changes AS (
        SELECT
            visits.location_id,
            visits.enter_ns AS begin_ns,
            visits.leave_ns AS end_ns,
            paths.change
        FROM visits
        INNER JOIN (
            SELECT
                call_path_id,
                change
            FROM path_codes
            WHERE change <> 0
        ) AS paths USING (call_path_id)
        UNION ALL
        -- Visits without a calling visit on the location take no time from a caller.
        SELECT
            visits.location_id,
            visits.enter_ns AS begin_ns,
            visits.leave_ns AS end_ns,
            paths.root_code - threads.code AS change
        FROM visits
        INNER JOIN path_codes AS paths USING (call_path_id)
        INNER JOIN threads USING (location_id)
        WHERE visits.parent_visit_id IS NULL
        UNION ALL
        SELECT
            class_changes.location_id,
            class_changes.begin_ns,
            class_changes.end_ns,
            class_changes.change_count
            * if(
                losing.code IS NULL,
                threads.code, -- a worker that is not there is idle as well
                gaining.code - losing.code
            ) AS change
        FROM class_changes
        INNER JOIN threads USING (location_id)
        INNER JOIN codes AS gaining ON class_changes.overhead_id = gaining.overhead_id
        LEFT JOIN codes AS losing ON class_changes.caller_overhead_id = losing.overhead_id
    ),

    -- Waits of calls of one activity, without their overlaps.
    waits AS (
        SELECT
            wait_states.location_id,
            path_codes.activity,
            greatest(
                wait_states.start_ns,
                max(wait_states.start_ns + wait_states.wait_ns) OVER (
                    PARTITION BY wait_states.location_id, path_codes.activity
                    ORDER BY wait_states.start_ns, wait_states.wait_ns, wait_states.property
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                )
            ) AS begin_ns,
            wait_states.start_ns + wait_states.wait_ns AS end_ns
        FROM wait_states
        INNER JOIN threads USING (location_id)
        INNER JOIN path_codes USING (call_path_id)
        WHERE NOT wait_states.is_completion AND wait_states.wait_ns > 0
    ),

    steps AS (
        SELECT
            location_id,
            unnest([begin_ns, end_ns]) AS begin_ns,
            unnest([change, -change]) AS change
        FROM changes
        WHERE begin_ns < end_ns
        UNION ALL
        SELECT
            location_id,
            unnest([begin_ns, end_ns]) AS begin_ns,
            unnest([1, -1]) * (1::BIGINT << (48 + activity)) AS change
        FROM waits
        WHERE begin_ns < end_ns
    ),

    states AS (
        SELECT
            location_id,
            begin_ns,
            (
                sum(sum(change)) OVER (
                    PARTITION BY location_id ORDER BY begin_ns ROWS UNBOUNDED PRECEDING
                )
            )::BIGINT AS state
        FROM steps
        GROUP BY location_id, begin_ns
    ),

    active AS (
        SELECT
            location_id,
            begin_ns,
            coalesce(
                list_position(
                    code_list.codes,
                    state & ((1::BIGINT << 48) - 1)
                ),
                8
            )::BIGINT AS call_activity,
            if((state >> (48 + call_activity)) & 1 = 1, 2, call_activity) AS activity
        FROM states
        CROSS JOIN code_list
    ),

    begun AS (
        SELECT
            active.location_id,
            active.begin_ns,
            threads.end_ns,
            active.activity,
            active.call_activity
        FROM active
        INNER JOIN threads USING (location_id)
        WHERE active.begin_ns < threads.end_ns
        QUALIFY
            (active.activity, active.call_activity) IS DISTINCT FROM
            lag((active.activity, active.call_activity)) OVER (
                PARTITION BY location_id ORDER BY active.begin_ns
            )
    ),

    names AS (
        SELECT [
            'computing', 'blocked', 'communicating', 'synchronizing', 'I/O', 'create/destroy',
            'idle', 'unknown'
        ] AS names
    )

SELECT
    begun.location_id,
    begun.begin_ns,
    lead(begun.begin_ns, 1, begun.end_ns) OVER (
        PARTITION BY begun.location_id ORDER BY begun.begin_ns
    ) AS end_ns,
    names.names[begun.activity] AS activity,
    names.names[begun.call_activity] AS call_activity
FROM begun
CROSS JOIN names
ORDER BY begun.location_id, begun.begin_ns
