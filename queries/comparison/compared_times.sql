-- Exclusive time of every call path on every thread that visits it, to compare runs.
--
-- Instructions and cycles are null where they are not known for nearly all of the time.
--
-- Grain:      one row per run, key of call paths, and CPU thread with visits
-- Inputs:     call_tree, call_paths, call_path_keys, regions, region_classes, setup_times,
--             locations, computational_imbalance, call_path_counters, counters
-- Output:     overheads of a run against another, campaign table run_thread_times
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
WITH
    counted AS (
        SELECT
            found.run_id,
            found.call_path_id,
            found.location_id,
            max(found.covered_ns) AS covered_ns,
            max(found.exclusive_value)
            FILTER (WHERE counters.name IN ('PAPI_TOT_INS', 'instructions')) AS instructions,
            max(found.exclusive_value)
            FILTER (WHERE counters.name IN ('PAPI_TOT_CYC', 'cycles', 'cpu-cycles')) AS cycles
        FROM call_path_counters AS found
        INNER JOIN counters
            ON found.run_id = counters.run_id AND found.counter_id = counters.counter_id
        WHERE
            found.method <> 'mean'
            AND counters.name IN (
                'PAPI_TOT_INS', 'instructions', 'PAPI_TOT_CYC', 'cycles', 'cpu-cycles'
            )
        GROUP BY found.run_id, found.call_path_id, found.location_id
    ),

    spent AS (
        SELECT
            call_tree.run_id,
            call_tree.call_path_id,
            call_tree.location_id,
            call_tree.exclusive_ns - coalesce(setup_times.time_ns, 0) AS time_ns
        FROM call_tree
        LEFT JOIN setup_times
            ON
                call_tree.run_id = setup_times.run_id
                AND call_tree.call_path_id = setup_times.call_path_id
                AND call_tree.location_id = setup_times.location_id
        WHERE call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL
    )

SELECT
    spent.run_id,
    keys.call_path_key,
    min(call_paths.path) AS call_path,
    min(regions.name) AS region,
    min(classes.overhead_id) AS overhead_id,
    spent.location_id,
    sum(spent.time_ns)::BIGINT AS time_ns,
    coalesce(max(imbalance.location_count), 0) AS possible_count,
    if(
        sum(counted.covered_ns) >= 0.9 * sum(spent.time_ns) OR sum(spent.time_ns) = 0,
        if(sum(spent.time_ns) = 0, 0, sum(counted.instructions)),
        NULL
    ) AS instructions,
    if(
        sum(counted.covered_ns) >= 0.9 * sum(spent.time_ns) OR sum(spent.time_ns) = 0,
        if(sum(spent.time_ns) = 0, 0, sum(counted.cycles)),
        NULL
    ) AS cycles
FROM spent
INNER JOIN call_paths
    ON
        spent.run_id = call_paths.run_id
        AND spent.call_path_id = call_paths.call_path_id
INNER JOIN call_path_keys AS keys
    ON spent.run_id = keys.run_id AND spent.call_path_id = keys.call_path_id
INNER JOIN regions
    ON call_paths.run_id = regions.run_id AND call_paths.region_id = regions.region_id
INNER JOIN region_classes AS classes
    ON call_paths.run_id = classes.run_id AND call_paths.region_id = classes.region_id
INNER JOIN locations
    ON
        spent.run_id = locations.run_id
        AND spent.location_id = locations.location_id
LEFT JOIN counted
    ON
        spent.run_id = counted.run_id
        AND spent.call_path_id = counted.call_path_id
        AND spent.location_id = counted.location_id
LEFT JOIN computational_imbalance AS imbalance
    ON
        spent.run_id = imbalance.run_id
        AND spent.call_path_id = imbalance.call_path_id
WHERE
    call_paths.kind <> 'task_stub'
    AND locations.kind IN ('cpu_thread', 'unknown')
GROUP BY spent.run_id, keys.call_path_key, spent.location_id
ORDER BY spent.run_id, call_path, keys.call_path_key, spent.location_id
