-- What every call path of a run cost, over all locations and per process.
--
-- Grain:      one row per call path that is visited, or that has visits below it
-- Inputs:     call_paths, call_path_keys, call_tree, locations, location_groups, regions,
--             mpi_calls, wait_states, critical_path_profile
-- Output:     campaign tables campaign_call_paths and run_call_paths
-- Parameters: none
-- Assumes:    tasks are counted where they run, not where they are scheduled
WITH
    spent AS (
        SELECT
            call_tree.call_path_id,
            locations.location_group_id,
            sum(call_tree.visit_count) AS visit_count,
            sum(call_tree.inclusive_ns) AS inclusive_ns,
            sum(call_tree.exclusive_ns) AS exclusive_ns
        FROM call_tree
        INNER JOIN locations USING (location_id)
        GROUP BY ALL
    ),

    process_counts AS (
        SELECT count(DISTINCT location_group_id) AS process_count
        FROM location_groups
        WHERE kind = 'process'
    ),

    costs AS (
        SELECT
            spent.call_path_id,
            sum(spent.visit_count) AS visit_count,
            sum(spent.inclusive_ns) AS inclusive_ns,
            sum(spent.exclusive_ns) AS exclusive_ns,
            count(*) FILTER (WHERE spent.visit_count > 0) AS process_count,
            if(count(*) < any_value(process_counts.process_count), 0, min(spent.exclusive_ns))
                AS shortest_ns,
            max(spent.exclusive_ns) AS longest_ns
        FROM spent
        CROSS JOIN process_counts
        GROUP BY spent.call_path_id
    ),

    waited AS (
        SELECT
            call_path_id,
            sum(wait_ns) AS wait_ns
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY call_path_id
    ),

    decisive AS (
        SELECT
            call_path_id,
            sum(path_ns) AS critical_path_ns
        FROM critical_path_profile
        GROUP BY call_path_id
    )

SELECT
    call_path_keys.call_path_key,
    parent_keys.call_path_key AS parent_call_path_key,
    call_paths.path AS call_path,
    regions.name AS region,
    call_paths.depth,
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
INNER JOIN call_paths ON costs.call_path_id = call_paths.call_path_id
INNER JOIN call_path_keys ON call_paths.call_path_id = call_path_keys.call_path_id
LEFT JOIN call_path_keys AS parent_keys
    ON call_paths.parent_call_path_id = parent_keys.call_path_id
INNER JOIN regions ON call_paths.region_id = regions.region_id
LEFT JOIN regions AS callers ON call_paths.caller_region_id = callers.region_id
LEFT JOIN mpi_calls ON regions.region_id = mpi_calls.region_id
LEFT JOIN waited ON call_paths.call_path_id = waited.call_path_id
LEFT JOIN decisive ON call_paths.call_path_id = decisive.call_path_id
WHERE call_paths.kind <> 'task_stub'
ORDER BY call_path_keys.call_path_key
