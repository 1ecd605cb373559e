-- Time and visits of every call path of several runs, over all locations and per process.
--
-- Grain:      one row per run and call path that is visited, or that has visits below it
-- Inputs:     call_paths, call_path_keys, call_tree, locations, location_groups, regions,
--             mpi_calls, wait_states, critical_path_profile
-- Output:     campaign tables campaign_call_paths and run_call_paths
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; tasks are counted where they run,
--             not where they are scheduled
WITH
    spent AS (
        SELECT
            call_tree.run_id,
            call_tree.call_path_id,
            locations.location_group_id,
            sum(call_tree.visit_count) AS visit_count,
            sum(call_tree.inclusive_ns) AS inclusive_ns,
            sum(call_tree.exclusive_ns) AS exclusive_ns
        FROM call_tree
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
            spent.call_path_id,
            sum(spent.visit_count) AS visit_count,
            sum(spent.inclusive_ns) AS inclusive_ns,
            sum(spent.exclusive_ns) AS exclusive_ns,
            count(*) FILTER (WHERE spent.visit_count > 0) AS process_count,
            if(count(*) < any_value(process_counts.process_count), 0, min(spent.exclusive_ns))
                AS shortest_ns,
            max(spent.exclusive_ns) AS longest_ns
        FROM spent
        LEFT JOIN process_counts USING (run_id)
        GROUP BY spent.run_id, spent.call_path_id
    ),

    waited AS (
        SELECT
            run_id,
            call_path_id,
            sum(wait_ns) AS wait_ns
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY run_id, call_path_id
    ),

    decisive AS (
        SELECT
            run_id,
            call_path_id,
            sum(path_ns) AS critical_path_ns
        FROM critical_path_profile
        GROUP BY run_id, call_path_id
    ),

    keyed AS (
        SELECT
            call_paths.*,
            call_path_keys.call_path_key
        FROM call_paths
        INNER JOIN call_path_keys USING (run_id, call_path_id)
    )

SELECT
    costs.run_id,
    keyed.call_path_key,
    parents.call_path_key AS parent_call_path_key,
    keyed.path AS call_path,
    regions.name AS region,
    keyed.depth,
    coalesce(
        regions.file || ':' || regions.begin_line,
        callers.file || ':' || callers.begin_line
    ) AS place,
    if(regions.paradigm IN ('mpi', 'shmem', 'gaspi', 'upc'), regions.name, NULL) AS operation,
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
INNER JOIN keyed USING (run_id, call_path_id)
LEFT JOIN keyed AS parents
    ON keyed.run_id = parents.run_id AND keyed.parent_call_path_id = parents.call_path_id
INNER JOIN regions ON keyed.run_id = regions.run_id AND keyed.region_id = regions.region_id
LEFT JOIN regions AS callers
    ON keyed.run_id = callers.run_id AND keyed.caller_region_id = callers.region_id
LEFT JOIN mpi_calls ON keyed.run_id = mpi_calls.run_id AND keyed.region_id = mpi_calls.region_id
LEFT JOIN waited ON costs.run_id = waited.run_id AND costs.call_path_id = waited.call_path_id
LEFT JOIN decisive ON costs.run_id = decisive.run_id AND costs.call_path_id = decisive.call_path_id
WHERE keyed.kind <> 'task_stub'
ORDER BY costs.run_id, keyed.call_path_key
