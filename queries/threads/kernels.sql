-- Kernels and copies on streams of accelerators, with the calls that launched them.
--
--     thread    [launch][launch]                 the second kernel is launched before the first
--     stream          [kernel .......][kernel]   one ends, and begins after it
--
-- Launches and kernels of a process are paired in their order, by the first of these names that
-- both have equally often, with no kernel before its launch:
--
--     stream      attribute of the call (Score-P with references of CUDA) and stream of the kernel
--     call site   parameter of both (Score-P with call sites of kernels)
--     kernel      all calls that launch kernels, and all kernels
--     any         all calls that launch kernels or copies, and all kernels and copies
--
-- Without such a name, a kernel has the last launch of its process that begins before it.
--
-- Grain:      one row per kernel or copy
-- Inputs:     device_calls, visits, call_paths, regions, locations, parameters, parameter_values,
--             stream_references
-- Needs rows: device_calls
-- Output:     kernels
-- Parameters: none
-- Source:     CUDA and HIP programming guides: work of a stream runs in the order of its launches
-- Assumes:    clocks of the process and its accelerators agree
WITH
    calls AS (
        SELECT
            visits.visit_id,
            visits.parent_visit_id,
            visits.location_id,
            visits.enter_ns,
            locations.rank,
            device_calls.is_kernel_launch
        FROM visits
        INNER JOIN device_calls ON visits.call_path_id = device_calls.call_path_id
        INNER JOIN locations ON visits.location_id = locations.location_id
        WHERE device_calls.is_launch AND locations.kind <> 'gpu'
    ),

    -- A call of the runtime that calls the driver launches there.
    launches AS (
        FROM calls
        ANTI JOIN (FROM calls) AS inside ON calls.visit_id = inside.parent_visit_id
    ),

    executed AS (
        SELECT
            visits.*,
            locations.rank
        FROM visits
        INNER JOIN locations ON visits.location_id = locations.location_id
        INNER JOIN call_paths ON visits.call_path_id = call_paths.call_path_id
        INNER JOIN regions ON call_paths.region_id = regions.region_id
        WHERE
            EXISTS (FROM device_calls)
            AND locations.kind = 'gpu'
            AND visits.parent_visit_id IS NULL
            AND regions.role <> 'artificial'
    ),

    call_sites AS (
        SELECT
            parameter_values.visit_id,
            min(parameter_values.value_integer) AS call_site
        FROM parameter_values
        INNER JOIN parameters ON parameter_values.parameter_id = parameters.parameter_id
        WHERE parameters.name = 'callsite id'
        GROUP BY parameter_values.visit_id
    ),

    -- Launches and kernels with each of their names.
    named AS (
        SELECT
            works.* EXCLUDE (stream_id, is_kernel),
            unnest([
                {'place': 1, 'name': works.stream_id},
                {'place': 2, 'name': call_sites.call_site},
                {'place': 3, 'name': if(works.is_kernel, 0, NULL)},
                {'place': 4, 'name': 0},
            ]) AS naming
        FROM (
            SELECT
                launches.visit_id,
                launches.location_id,
                launches.rank,
                launches.enter_ns,
                TRUE AS is_launch,
                launches.is_kernel_launch AS is_kernel,
                streams.location_id AS stream_id
            FROM launches
            LEFT JOIN stream_references AS streams ON launches.visit_id = streams.visit_id
            UNION ALL
            SELECT
                visit_id,
                location_id,
                rank,
                enter_ns,
                FALSE AS is_launch,
                TRUE AS is_kernel,
                location_id AS stream_id
            FROM executed
        ) AS works
        LEFT JOIN call_sites ON works.visit_id = call_sites.visit_id
    ),

    numbered AS (
        SELECT
            *,
            row_number() OVER (same_name ORDER BY enter_ns, visit_id) AS number,
            count(*) OVER same_name AS named_count
        FROM named
        WHERE naming.name IS NOT NULL
        WINDOW same_name AS (PARTITION BY is_launch, rank, naming)
    ),

    paired AS (
        SELECT
            kernels.visit_id,
            kernels.naming.place AS place,
            launches.visit_id AS launch_visit_id,
            launches.location_id AS launch_location_id,
            launches.enter_ns AS launch_enter_ns
        FROM numbered AS kernels
        INNER JOIN numbered AS launches
            ON
                NOT kernels.is_launch
                AND launches.is_launch
                AND kernels.rank = launches.rank
                AND kernels.naming = launches.naming
                AND kernels.number = launches.number
                AND kernels.named_count = launches.named_count
        QUALIFY
            bool_and(launches.enter_ns <= kernels.enter_ns)
                OVER (PARTITION BY kernels.rank, kernels.naming)
    ),

    best_pairs AS (
        FROM paired
        QUALIFY row_number() OVER (PARTITION BY visit_id ORDER BY place) = 1
    ),

    -- One launch of each moment.
    last_launches AS (
        SELECT
            rank,
            enter_ns,
            max((visit_id, location_id)) AS call
        FROM launches
        GROUP BY rank, enter_ns
    )

SELECT
    executed.visit_id,
    executed.location_id,
    executed.call_path_id,
    executed.enter_ns,
    executed.leave_ns,
    coalesce(best_pairs.launch_visit_id, last_launches.call[1]) AS launch_visit_id,
    coalesce(best_pairs.launch_location_id, last_launches.call[2]) AS launch_location_id,
    coalesce(best_pairs.launch_enter_ns, last_launches.enter_ns) AS launch_enter_ns
FROM executed
LEFT JOIN best_pairs ON executed.visit_id = best_pairs.visit_id
ASOF LEFT JOIN last_launches
    ON executed.rank = last_launches.rank AND executed.enter_ns >= last_launches.enter_ns
