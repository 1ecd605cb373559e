-- Collective calls, numbered on their communicator: the n-th calls of all members form one
-- instance.
--
-- Collectives are numbered in the order in which a process starts them, blocking or not. On
-- MPI_COMM_SELF every call is an instance of its own:
--
--     MPI_COMM_WORLD   rank 0   barrier 0   bcast 1        MPI_COMM_SELF   rank 0   barrier 0
--                      rank 1   barrier 0   bcast 1                        rank 1   barrier 1
--
-- Grain:      one row per completed collective call
-- Inputs:     mpi_operations, locations, communicators, process_ranks, mpi_call_paths
-- Needs rows: mpi_operations
-- Output:     collective_calls
-- Parameters: none
-- Source:     MPI 4.0, section 6.14: all members call collectives in the same order
-- Assumes:    a process starts the collectives of a communicator one after the other
WITH
    blocking AS (
        SELECT
            *,
            coalesce(begin_ns, enter_ns, time_ns) AS started_ns,
            started_ns AS start_record_ns,
            sequence AS start_sequence,
            NULL::BIGINT AS start_visit_id,
            call_path_id AS start_call_path_id
        FROM mpi_operations
        WHERE kind = 'collective'
    ),

    -- Request ids are reused: a completion belongs to the latest record of its id before it.
    request_records AS (
        SELECT
            *,
            lag({
                'kind': kind,
                'sequence': sequence,
                'time_ns': time_ns,
                'enter_ns': enter_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id
            }) OVER (PARTITION BY location_id, request_id ORDER BY sequence) AS last_record
        FROM mpi_operations
        WHERE kind IN ('nonblocking_collective_request', 'nonblocking_collective')
    ),

    completions AS (
        SELECT
            * EXCLUDE (last_record),
            if(last_record.kind = 'nonblocking_collective_request', last_record, NULL) AS start
        FROM request_records
        WHERE kind = 'nonblocking_collective'
    ),

    nonblocking AS (
        SELECT
            * EXCLUDE (start),
            coalesce(start.enter_ns, start.time_ns, enter_ns, time_ns) AS started_ns,
            coalesce(start.time_ns, enter_ns, time_ns) AS start_record_ns,
            coalesce(start.sequence, sequence) AS start_sequence,
            start.visit_id AS start_visit_id,
            start.call_path_id AS start_call_path_id
        FROM completions
    ),

    numbered AS (
        SELECT
            calls.*,
            locations.location_group_id,
            communicators.kind = 'self' AS is_self,
            row_number() OVER (
                PARTITION BY
                    calls.communicator_id,
                    if(communicators.kind = 'self', NULL, locations.location_group_id)
                ORDER BY
                    locations.location_group_id,
                    calls.start_record_ns,
                    calls.location_id,
                    calls.start_sequence
            ) - 1 AS ordinal
        FROM (FROM blocking UNION ALL FROM nonblocking) AS calls
        INNER JOIN locations USING (location_id)
        INNER JOIN communicators USING (communicator_id)
    ),

    -- MPI_Start of a persistent collective records only the operation. It counts as a neighborhood
    -- collective if that operation is prepared for neighbors anywhere.
    neighborhood_call_paths AS (
        SELECT
            call_path_id,
            regexp_extract(call, '^mpi_neighbor_(\w+)_init$', 1) AS prepared
        FROM mpi_call_paths
        WHERE regexp_matches(call, '^mpi_i?neighbor_')
    ),

    persistent_call_paths AS (
        SELECT call_path_id
        FROM mpi_call_paths
        WHERE call IN ('mpi_start', 'mpi_startall')
    )

SELECT
    dense_rank() OVER (ORDER BY numbered.communicator_id, numbered.ordinal) - 1 AS collective_id,
    numbered.communicator_id,
    numbered.ordinal,
    numbered.operation,
    numbered.root_rank,
    numbered.kind = 'nonblocking_collective' AS is_nonblocking,
    coalesce(
        numbered.start_call_path_id IN (SELECT call_path_id FROM neighborhood_call_paths)
        OR (
            numbered.start_call_path_id IN (FROM persistent_call_paths)
            AND numbered.operation::VARCHAR IN (SELECT prepared FROM neighborhood_call_paths)
        ),
        FALSE
    ) AS is_neighborhood,
    numbered.location_id,
    if(numbered.is_self, 0, process_ranks.side) AS side,
    if(numbered.is_self, 0, process_ranks.comm_rank) AS comm_rank,
    numbered.visit_id,
    numbered.call_path_id,
    numbered.enter_ns,
    numbered.leave_ns,
    numbered.started_ns AS begin_ns,
    numbered.time_ns AS end_ns,
    coalesce(numbered.bytes, 0) AS bytes_sent,
    coalesce(numbered.bytes_received, 0) AS bytes_received,
    numbered.start_visit_id
FROM numbered
LEFT JOIN process_ranks USING (communicator_id, location_group_id)
