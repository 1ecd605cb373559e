-- Collective file accesses: the n-th collective calls of all processes on a handle form one access.
--
-- Collective calls are MPI_File_open, MPI_File_close, reads and writes named _all or _ordered, and
-- operations recorded as collective. They are numbered in the order in which a process begins them.
-- Split forms (_begin and _end) and nonblocking forms begin in one call and end in another:
--
--     rank 0   [ MPI_File_write_all_begin ]      [ MPI_File_write_all_end ]
--              |begin                            |enter            leave |
--
-- Grain:      one row per access and process
-- Inputs:     file_operations, io_handles, communicators, process_ranks, locations, call_paths,
--             regions, mpi_call_paths
-- Needs rows: file_operations
-- Output:     collective_file_calls
-- Parameters: none
-- Source:     MPI 4.0, sections 14.2.1, 14.2.2, 14.4.2 to 14.4.5
-- Assumes:    a process begins the collective accesses of a handle one after the other
WITH
    shared_handles AS (
        SELECT
            io_handles.io_handle_id,
            communicators.communicator_id,
            communicators.size
        FROM io_handles
        INNER JOIN communicators ON io_handles.communicator_id = communicators.communicator_id
        WHERE communicators.kind = 'group' AND communicators.size > 1
    ),

    named_paths AS (
        SELECT
            call_paths.call_path_id,
            coalesce(mpi_call_paths.call, regions.name) AS call,
            mpi_call_paths.is_collective_file_call IS TRUE AS is_collective
        FROM call_paths
        INNER JOIN regions ON call_paths.region_id = regions.region_id
        LEFT JOIN mpi_call_paths ON call_paths.call_path_id = mpi_call_paths.call_path_id
    ),

    -- One call may record the same access several times.
    calls AS (
        SELECT
            shared_handles.communicator_id,
            shared_handles.size,
            file_operations.*,
            coalesce(named_paths.call, '') AS call,
            locations.location_group_id
        FROM file_operations
        INNER JOIN shared_handles ON file_operations.io_handle_id = shared_handles.io_handle_id
        INNER JOIN locations ON file_operations.location_id = locations.location_id
        LEFT JOIN named_paths ON file_operations.call_path_id = named_paths.call_path_id
        WHERE file_operations.is_collective OR named_paths.is_collective
        QUALIFY
            file_operations.visit_id IS NULL
            OR row_number() OVER (
                PARTITION BY file_operations.io_handle_id, file_operations.visit_id
                ORDER BY file_operations.sequence DESC
            ) = 1
    ),

    numbered AS (
        SELECT
            calls.*,
            process_ranks.comm_rank,
            row_number() OVER (
                PARTITION BY calls.io_handle_id, calls.location_group_id
                ORDER BY calls.begin_ns, calls.location_id, calls.sequence
            ) - 1 AS ordinal
        FROM calls
        LEFT JOIN process_ranks
            ON
                calls.communicator_id = process_ranks.communicator_id
                AND calls.location_group_id = process_ranks.location_group_id
    ),

    gathered AS (
        SELECT
            *,
            count(comm_rank) OVER access = size
            AND count(*) OVER access = size
            AND min(call) OVER access = max(call) OVER access
            AND min(mode) OVER access = max(mode) OVER access AS is_complete
        FROM numbered
        WINDOW access AS (PARTITION BY io_handle_id, ordinal)
    )

SELECT
    io_handle_id,
    ordinal,
    location_id,
    comm_rank,
    call,
    end_visit_id AS visit_id,
    end_call_path_id AS call_path_id,
    end_enter_ns AS enter_ns,
    end_leave_ns AS leave_ns,
    visit_id AS start_visit_id,
    call_path_id AS start_call_path_id,
    coalesce(enter_ns, begin_ns) AS begin_ns,
    is_complete,
    NOT bool_and(is_complete) OVER (PARTITION BY io_handle_id) AS is_doubtful
FROM gathered
ORDER BY io_handle_id, ordinal, location_id
