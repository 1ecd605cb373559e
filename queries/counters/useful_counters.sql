-- Instructions and cycles that each thread counts in its useful time.
--
-- A value counts for the stretch since the one before it on its location, and only if this whole
-- stretch is useful time within the interval:
--
--     main   [        MPI_Send [    ]       ]
--     values v1       v2            v3      v4      v2 and v4 count; v1 has no stretch, v3 is MPI
--
-- Grain:      one row per interval and thread with values of instructions or cycles
-- Inputs:     counter_values, counters, counter_instances, pop_locations, locations, visits,
--             call_paths, region_classes, mpi_call_paths, class_changes, overhead_classes,
--             measurement_gaps
-- Needs rows: counter_values
-- Output:     useful_counters
-- Parameters: none
-- Source:     BasicAnalysis: "useful instructions" and "useful cycles" of Paraver traces
-- Assumes:    if a thread has several counters of one kind, they count the same
WITH
    chosen AS (
        SELECT
            counter_id,
            accumulation,
            occurrence,
            base ** exponent AS scale,
            CASE
                WHEN
                    regexp_full_match(
                        name, '.*TOT_INS.*|(perf::)?(PERF_COUNT_HW_)?instructions(:\w+)?', 'i'
                    )
                    THEN 'instructions'
                WHEN
                    regexp_full_match(
                        name, '.*TOT_CYC.*|(perf::)?(PERF_COUNT_HW_)?(cpu[-_])?cycles(:\w+)?', 'i'
                    )
                    THEN 'cycles'
            END AS counted
        FROM counters
        WHERE accumulation <> 'absolute'
    ),

    -- A value may describe another location than the one that records it.
    recorded AS (
        SELECT
            coalesce(instances.scope_location_id, found.location_id) AS location_id,
            found.location_id AS recorder_id,
            found.counter_id,
            found.counter_instance_id,
            found.sequence,
            found.time_ns,
            coalesce(found.value_integer::HUGEINT, 0) AS value_integer,
            coalesce(found.value_float, 0) AS value_float,
            chosen.* EXCLUDE (counter_id)
        FROM counter_values AS found
        INNER JOIN chosen ON found.counter_id = chosen.counter_id
        LEFT JOIN counter_instances AS instances
            ON found.counter_instance_id = instances.counter_instance_id
        WHERE
            chosen.counted IS NOT NULL
            AND (found.counter_instance_id IS NULL OR instances.scope = 'location')
    ),

    first_series AS (
        SELECT *
        FROM recorded
        QUALIFY
            dense_rank() OVER (
                PARTITION BY location_id, counted
                ORDER BY counter_id, recorder_id, counter_instance_id NULLS FIRST
            ) = 1
    ),

    steps AS (
        SELECT
            location_id,
            counted,
            lag(time_ns) OVER series AS begin_ns,
            time_ns AS end_ns,
            scale
            * CASE
                WHEN accumulation = 'accumulated'
                    THEN
                        (value_integer - lag(value_integer) OVER series)::DOUBLE
                        + (value_float - lag(value_float) OVER series)
                WHEN occurrence = 'next'
                    THEN lag(value_integer::DOUBLE + value_float) OVER series
                ELSE value_integer::DOUBLE + value_float
            END AS amount
        FROM first_series
        WINDOW series AS (PARTITION BY location_id, counted ORDER BY sequence)
    ),

    below_mpi AS (
        SELECT DISTINCT call_paths.call_path_id
        FROM mpi_call_paths
        INNER JOIN call_paths AS tops USING (call_path_id)
        INNER JOIN call_paths
            ON call_paths.call_path_id BETWEEN tops.call_path_id AND tops.last_call_path_id
    ),

    computing AS (
        SELECT overhead_id
        FROM overhead_classes
        WHERE overhead_subclass = 'user code'
    ),

    -- The first thread of a process also computes outside of all visits.
    useful_classes AS (
        SELECT
            locations.location_id,
            classes.overhead_id,
            classes.overhead_subclass = 'user code'
            OR (classes.overhead_subclass = 'outside visits' AND locations.thread = 0) AS is_useful
        FROM locations
        CROSS JOIN overhead_classes AS classes
    ),

    paths AS (
        SELECT
            call_paths.call_path_id,
            call_paths.parent_call_path_id,
            coalesce(own.overhead_id IN (FROM computing), FALSE)
            AND call_paths.call_path_id NOT IN (FROM below_mpi) AS is_useful,
            coalesce(callers.overhead_id IN (FROM computing), FALSE)
            AND coalesce(call_paths.parent_call_path_id NOT IN (FROM below_mpi), TRUE)
                AS is_caller_useful
        FROM call_paths
        LEFT JOIN region_classes AS own ON call_paths.region_id = own.region_id
        LEFT JOIN region_classes AS callers ON call_paths.caller_region_id = callers.region_id
    ),

    counted_locations AS (SELECT DISTINCT location_id FROM steps),

    -- How many times more a period is useful than what is around it.
    periods AS (
        SELECT
            visits.location_id,
            visits.enter_ns AS begin_ns,
            visits.leave_ns AS end_ns,
            paths.is_useful::INTEGER
            - if(
                visits.parent_visit_id IS NULL, locations.thread = 0, paths.is_caller_useful
            )::INTEGER AS step
        FROM visits
        INNER JOIN paths USING (call_path_id)
        INNER JOIN locations USING (location_id)
        SEMI JOIN counted_locations ON visits.location_id = counted_locations.location_id
        UNION ALL
        SELECT
            changes.location_id,
            changes.begin_ns,
            changes.end_ns,
            changes.change_count * (gained.is_useful::INTEGER - lost.is_useful::INTEGER)
        FROM class_changes AS changes
        INNER JOIN useful_classes AS gained
            ON
                changes.location_id = gained.location_id
                AND changes.overhead_id = gained.overhead_id
        INNER JOIN useful_classes AS lost
            ON
                changes.location_id = lost.location_id
                AND changes.caller_overhead_id = lost.overhead_id
        UNION ALL
        SELECT location_id, begin_ns, end_ns, 1
        FROM locations
        WHERE thread = 0
        UNION ALL
        SELECT location_id, begin_ns, end_ns, -1
        FROM measurement_gaps
    ),

    changed AS (
        SELECT
            location_id,
            time_ns,
            sum(step) AS step
        FROM (
            SELECT
                location_id,
                unnest([begin_ns, end_ns]) AS time_ns,
                unnest([step, -step]) AS step
            FROM periods
            WHERE step <> 0
        )
        GROUP BY location_id, time_ns
        HAVING sum(step) <> 0
        UNION ALL
        -- Nothing is useful before the first change.
        SELECT location_id, min(begin_ns) - 1, 0
        FROM steps
        GROUP BY location_id
    ),

    idle AS (
        SELECT
            location_id,
            time_ns AS begin_ns,
            lead(time_ns) OVER over_time AS end_ns
        FROM changed
        WINDOW over_time AS (PARTITION BY location_id ORDER BY time_ns)
        QUALIFY sum(step) OVER over_time <= 0
    ),

    useful_steps AS (
        SELECT steps.*
        FROM steps
        ASOF LEFT JOIN idle
            ON steps.location_id = idle.location_id AND steps.end_ns > idle.begin_ns
        WHERE steps.amount >= 0 AND (idle.begin_ns IS NULL OR idle.end_ns <= steps.begin_ns)
    )

SELECT
    within.interval,
    within.location_id,
    if(
        bool_or(steps.counted = 'instructions'),
        coalesce(sum(useful.amount) FILTER (WHERE useful.counted = 'instructions'), 0),
        NULL
    )::DOUBLE AS instructions,
    if(
        bool_or(steps.counted = 'cycles'),
        coalesce(sum(useful.amount) FILTER (WHERE useful.counted = 'cycles'), 0),
        NULL
    )::DOUBLE AS cycles
FROM pop_locations AS within
INNER JOIN (SELECT DISTINCT location_id, counted FROM steps) AS steps USING (location_id)
LEFT JOIN useful_steps AS useful
    ON
        within.location_id = useful.location_id
        AND steps.counted = useful.counted
        AND useful.begin_ns >= within.begin_ns
        AND useful.end_ns <= within.end_ns
GROUP BY within.interval, within.location_id
ORDER BY within.interval, within.location_id
