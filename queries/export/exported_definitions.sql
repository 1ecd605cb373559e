-- What a run defines, as rows of a trace in CSV: the properties of each as a JSON object.
--
-- Identifiers are those of the trace the run was read from, so that they stay.
--
-- Grain:      one row per definition
-- Inputs:     runs, system_tree_nodes, location_groups, locations, regions, communicators,
--             communicator_members, cart_dimensions, rma_windows, counters, parameters, attributes,
--             source_locations, calling_contexts, io_handles
-- Output:     exported definitions
-- Parameters: none
-- Assumes:    nothing
WITH
    -- A process, or a process and one of its threads but the first.
    members AS (
        SELECT
            communicator_members.communicator_id,
            communicator_members.side,
            list(
                CASE
                    WHEN locations.location_id IS NULL THEN 'null'::JSON
                    WHEN locations.thread = 0 THEN to_json(locations.location_group_id)
                    ELSE to_json([locations.location_group_id, locations.thread])
                END
                ORDER BY communicator_members.comm_rank
            ) AS listed
        FROM communicator_members
        LEFT JOIN locations ON communicator_members.location_id = locations.location_id
        GROUP BY communicator_members.communicator_id, communicator_members.side
    ),

    grids AS (
        SELECT
            communicator_id,
            list(json_array(size, is_periodic) ORDER BY dimension) AS listed
        FROM cart_dimensions
        GROUP BY communicator_id
    ),

    defined AS (
        SELECT
            0 AS section,
            0 AS number,
            'Define Trace' AS event_type,
            '' AS name,
            0 AS process,
            0 AS thread,
            json_object(
                'trace_id', trace_id, 'creator', creator, 'machine_name', machine_name,
                'timer_resolution', timer_resolution, 'global_offset_ticks', global_offset_ticks,
                'started_at_ns', started_at_ns
            ) AS definition
        FROM runs
        UNION ALL
        SELECT
            1, system_tree_node_id, 'Define Place', name, 0, 0,
            json_object(
                'id', system_tree_node_id, 'parent', parent_system_tree_node_id,
                'class_name', class_name
            )
        FROM system_tree_nodes
        UNION ALL
        SELECT
            2, owned.location_group_id, 'Define Process', owned.name,
            owned.location_group_id AS process, 0,
            json_object(
                'id', owned.source_ref, 'kind', owned.kind::VARCHAR, 'rank', owned.rank,
                'place', owned.system_tree_node_id, 'creator', owners.source_ref
            )
        FROM location_groups AS owned
        LEFT JOIN location_groups AS owners
            ON owned.creating_location_group_id = owners.location_group_id
        UNION ALL
        SELECT
            3, location_id, 'Define Thread', name, location_group_id, thread,
            json_object('id', source_ref, 'kind', kind::VARCHAR)
        FROM locations
        UNION ALL
        SELECT
            4, region_id, 'Define Region',
            if(
                count(*) OVER (PARTITION BY name) = 1
                AND regexp_full_match(name, '\S(.*\S)?'),
                name,
                trim(regexp_replace(name, '\s+', ' ', 'g')) || '#' || region_id
            ),
            0, 0,
            json_object(
                'id', source_ref, 'name', name, 'canonical_name', canonical_name,
                'role', role::VARCHAR, 'paradigm', paradigm::VARCHAR, 'file', file,
                'begin_line', begin_line, 'end_line', end_line
            )
        FROM regions
        WHERE source_ref >= 0
        UNION ALL
        SELECT
            5, made.communicator_id, 'Define Communicator', made.name, 0, 0,
            json_object(
                'id', made.source_ref, 'kind', made.kind::VARCHAR,
                'paradigm', made.paradigm::VARCHAR, 'parent', parents.source_ref,
                'members', coalesce(firsts.listed, []), 'remote_members', seconds.listed,
                'grid', grids.listed
            )
        FROM communicators AS made
        LEFT JOIN communicators AS parents
            ON made.parent_communicator_id = parents.communicator_id
        LEFT JOIN members AS firsts
            ON made.communicator_id = firsts.communicator_id AND firsts.side = 0
        LEFT JOIN members AS seconds
            ON made.communicator_id = seconds.communicator_id AND seconds.side = 1
        LEFT JOIN grids ON made.communicator_id = grids.communicator_id
        UNION ALL
        SELECT
            6, rma_windows.rma_window_id, 'Define Window', rma_windows.name, 0, 0,
            json_object('id', rma_windows.source_ref, 'communicator', communicators.source_ref)
        FROM rma_windows
        LEFT JOIN communicators ON rma_windows.communicator_id = communicators.communicator_id
        UNION ALL
        SELECT
            7, counter_id, 'Define Counter', name, 0, 0,
            json_object(
                'id', source_ref, 'unit', unit, 'kind', kind::VARCHAR,
                'accumulation', accumulation::VARCHAR, 'base', base, 'exponent', exponent
            )
        FROM counters
        UNION ALL
        SELECT
            8, parameter_id, 'Define Parameter', name, 0, 0,
            json_object('id', source_ref, 'kind', kind::VARCHAR)
        FROM parameters
        UNION ALL
        SELECT
            9, attribute_id, 'Define Attribute', name, 0, 0,
            json_object('id', source_ref, 'description', description)
        FROM attributes
        UNION ALL
        SELECT
            10, source_location_id, 'Define Source', file, 0, 0,
            json_object('id', source_ref, 'line', line)
        FROM source_locations
        UNION ALL
        SELECT
            11, made.calling_context_id, 'Define Context', '', 0, 0,
            json_object(
                'id', made.source_ref, 'region', regions.source_ref,
                'source', source_locations.source_ref, 'parent', parents.source_ref
            )
        FROM calling_contexts AS made
        LEFT JOIN calling_contexts AS parents
            ON made.parent_calling_context_id = parents.calling_context_id
        LEFT JOIN regions ON made.region_id = regions.region_id
        LEFT JOIN source_locations
            ON made.source_location_id = source_locations.source_location_id
        UNION ALL
        SELECT
            12, made.io_handle_id, 'Define Handle', made.name, 0, 0,
            json_object(
                'id', made.source_ref, 'file', made.file, 'io_paradigm', made.io_paradigm,
                'communicator', communicators.source_ref, 'parent', parents.source_ref
            )
        FROM io_handles AS made
        LEFT JOIN io_handles AS parents ON made.parent_io_handle_id = parents.io_handle_id
        LEFT JOIN communicators ON made.communicator_id = communicators.communicator_id
    )

SELECT
    runs.begin_ns AS time_ns,
    defined.event_type,
    defined.name,
    defined.process,
    defined.thread,
    defined.definition::VARCHAR AS definition
FROM defined, runs
ORDER BY defined.section, defined.number
