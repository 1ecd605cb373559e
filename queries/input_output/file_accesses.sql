-- Reads, writes and other operations on files, with their time.
--
-- I/O interfaces are layered: MPI-IO writes through POSIX, on a handle whose parent is the MPI-IO
-- handle. If a higher layer records operations as well, the handles of lower layers are marked as
-- inner ones.
--
-- Grain:      one row per handle, location, beginning call path, and mode
-- Inputs:     file_operations, io_handles
-- Needs rows: file_operations
-- Output:     file_accesses
-- Parameters: none
-- Source:     OTF2 3.0 reference, definition of I/O handles
-- Assumes:    handles are nested at most 16 levels deep
WITH RECURSIVE
    used_handles AS (SELECT DISTINCT io_handle_id FROM file_operations),

    handles_above AS (
        SELECT io_handle_id, parent_io_handle_id AS above_id, 1 AS level
        FROM io_handles
        WHERE parent_io_handle_id IS NOT NULL
        UNION ALL
        SELECT handles_above.io_handle_id, io_handles.parent_io_handle_id, handles_above.level + 1
        FROM handles_above
        INNER JOIN io_handles ON handles_above.above_id = io_handles.io_handle_id
        WHERE io_handles.parent_io_handle_id IS NOT NULL AND handles_above.level < 16
    ),

    inner_handles AS (
        SELECT DISTINCT handles_above.io_handle_id
        FROM handles_above
        INNER JOIN used_handles ON handles_above.above_id = used_handles.io_handle_id
    ),

    summed AS (
        SELECT
            io_handle_id,
            location_id,
            call_path_id,
            mode,
            count(*) AS operation_count,
            count(*) FILTER (WHERE is_collective) AS collective_count,
            count(*) FILTER (WHERE is_nonblocking) AS nonblocking_count,
            count(*) FILTER (WHERE is_cancelled OR end_ns IS NULL) AS unfinished_count,
            coalesce(sum(bytes), 0)::BIGINT AS bytes,
            coalesce(sum(end_ns - begin_ns) FILTER (WHERE NOT is_nonblocking), 0)::BIGINT
                AS time_ns,
            coalesce(sum(end_ns - begin_ns) FILTER (WHERE is_nonblocking), 0)::BIGINT
                AS in_flight_ns
        FROM file_operations
        GROUP BY ALL
    )

SELECT
    summed.io_handle_id,
    coalesce(io_handles.file, io_handles.name) AS file,
    coalesce(io_handles.io_paradigm, '') AS io_paradigm,
    summed.location_id,
    summed.call_path_id,
    summed.mode,
    inner_handles.io_handle_id IS NOT NULL AS is_inner,
    summed.operation_count,
    summed.collective_count,
    summed.nonblocking_count,
    summed.unfinished_count,
    summed.bytes,
    summed.time_ns,
    summed.in_flight_ns
FROM summed
INNER JOIN io_handles ON summed.io_handle_id = io_handles.io_handle_id
LEFT JOIN inner_handles ON summed.io_handle_id = inner_handles.io_handle_id
ORDER BY summed.io_handle_id, summed.location_id, summed.call_path_id, summed.mode
