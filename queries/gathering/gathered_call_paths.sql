-- Time and visits of every call path of several runs, over all locations and per process.
--
-- Call paths with the same key, whose call sites are not distinguished, are one.
--
-- Grain:      one row per run and call path that is visited, or that has visits below it
-- Inputs:     call_paths, call_path_keys, call_tree, locations, location_groups, regions,
--             source_locations, mpi_calls, wait_states, critical_path_profile
-- Output:     campaign tables campaign_call_paths and run_call_paths
-- Parameters: $is_setup_included  take the critical path of the whole run; else that of the main
--                                 part (BOOLEAN, default false)
-- Assumes:    tables hold several runs, distinguished by run_id; tasks are counted where they run,
--             not where they are scheduled
WITH
    keyed AS (
        SELECT
            call_paths.*,
            call_path_keys.call_path_key
        FROM call_paths
        INNER JOIN call_path_keys USING (run_id, call_path_id)
    ),

    -- The first call path of each key.
    described AS (
        SELECT *
        FROM keyed
        QUALIFY
            row_number() OVER (PARTITION BY run_id, call_path_key ORDER BY call_path_id) = 1
    ),

    spent AS (
        SELECT
            call_tree.run_id,
            keyed.call_path_key,
            locations.location_group_id,
            sum(call_tree.visit_count) AS visit_count,
            sum(call_tree.inclusive_ns) AS inclusive_ns,
            sum(call_tree.exclusive_ns) AS exclusive_ns
        FROM call_tree
        INNER JOIN keyed USING (run_id, call_path_id)
        INNER JOIN locations USING (run_id, location_id)
        GROUP BY ALL
    ),

    process_counts AS (
        SELECT
            run_id,
            count(DISTINCT location_group_id) AS process_count
        FROM location_groups
        WHERE kind = 'process'
        GROUP BY run_id
    ),

    costs AS (
        SELECT
            spent.run_id,
            spent.call_path_key,
            sum(spent.visit_count) AS visit_count,
            sum(spent.inclusive_ns) AS inclusive_ns,
            sum(spent.exclusive_ns) AS exclusive_ns,
            count(*) FILTER (WHERE spent.visit_count > 0) AS process_count,
            if(count(*) < any_value(process_counts.process_count), 0, min(spent.exclusive_ns))
                AS shortest_ns,
            max(spent.exclusive_ns) AS longest_ns
        FROM spent
        LEFT JOIN process_counts USING (run_id)
        GROUP BY spent.run_id, spent.call_path_key
    ),

    waited AS (
        SELECT
            wait_states.run_id,
            keyed.call_path_key,
            sum(wait_states.wait_ns) AS wait_ns
        FROM wait_states
        INNER JOIN keyed USING (run_id, call_path_id)
        WHERE NOT wait_states.is_completion
        GROUP BY wait_states.run_id, keyed.call_path_key
    ),

    decisive AS (
        SELECT
            profile.run_id,
            keyed.call_path_key,
            sum(
                if($is_setup_included::BOOLEAN, profile.path_ns, profile.main_path_ns)
            ) AS critical_path_ns
        FROM critical_path_profile AS profile
        INNER JOIN keyed USING (run_id, call_path_id)
        GROUP BY profile.run_id, keyed.call_path_key
    )

SELECT
    costs.run_id,
    costs.call_path_key,
    parents.call_path_key AS parent_call_path_key,
    described.path AS call_path,
    regions.name AS region,
    described.depth,
    coalesce(
        source_locations.file || ':' || source_locations.line,
        regions.file || ':' || regions.begin_line,
        callers.file || ':' || callers.begin_line
    ) AS place,
    if(
        regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc')
        AND NOT coalesce(mpi_calls.is_local, FALSE),
        regions.name,
        NULL
    ) AS operation,
    coalesce(mpi_calls.is_setup, FALSE) AS is_setup,
    costs.visit_count::BIGINT AS visit_count,
    costs.inclusive_ns::BIGINT AS inclusive_ns,
    costs.exclusive_ns::BIGINT AS exclusive_ns,
    costs.process_count::INTEGER AS process_count,
    costs.shortest_ns::BIGINT AS shortest_ns,
    costs.longest_ns::BIGINT AS longest_ns,
    coalesce(waited.wait_ns, 0)::BIGINT AS wait_ns,
    coalesce(decisive.critical_path_ns, 0)::BIGINT AS critical_path_ns
FROM costs
INNER JOIN described USING (run_id, call_path_key)
LEFT JOIN keyed AS parents
    ON
        described.run_id = parents.run_id
        AND described.parent_call_path_id = parents.call_path_id
INNER JOIN regions
    ON described.run_id = regions.run_id AND described.region_id = regions.region_id
LEFT JOIN regions AS callers
    ON described.run_id = callers.run_id AND described.caller_region_id = callers.region_id
LEFT JOIN source_locations
    ON
        described.run_id = source_locations.run_id
        AND described.source_location_id = source_locations.source_location_id
LEFT JOIN mpi_calls
    ON described.run_id = mpi_calls.run_id AND described.region_id = mpi_calls.region_id
LEFT JOIN waited USING (run_id, call_path_key)
LEFT JOIN decisive USING (run_id, call_path_key)
WHERE described.kind <> 'task_stub'
ORDER BY costs.run_id, costs.call_path_key
