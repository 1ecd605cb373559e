-- Metrics of file operations: their number, bytes and time.
--
-- Handles of a lower I/O layer repeat the operations of the layer above and are left out.
-- Operations that begin in one call and end in another count, and so do their bytes, but they have
-- no time.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     file_accesses
-- Needs rows: file_accesses
-- Output:     file_severities
-- Parameters: none
-- Source:     the records of the operations
-- Assumes:    nothing
WITH
    summed AS (
        SELECT
            call_path_id,
            location_id,
            sum(time_ns)::BIGINT AS io_time,
            sum(operation_count) FILTER (WHERE mode IN ('read', 'write', 'flush'))::BIGINT
                AS io_operations,
            sum(operation_count) FILTER (WHERE mode = 'read')::BIGINT AS io_reads,
            sum(operation_count) FILTER (WHERE mode = 'write')::BIGINT AS io_writes,
            sum(bytes) FILTER (WHERE mode = 'read')::BIGINT AS io_bytes_read,
            sum(bytes) FILTER (WHERE mode = 'write')::BIGINT AS io_bytes_written
        FROM file_accesses
        WHERE NOT is_inner AND call_path_id IS NOT NULL
        GROUP BY call_path_id, location_id
    )

SELECT
    metric,
    call_path_id,
    location_id,
    TRUE AS is_extended,
    value
FROM summed
UNPIVOT (
    value FOR metric IN (
        io_time, io_operations, io_reads, io_writes, io_bytes_read, io_bytes_written
    )
)
WHERE value <> 0
ORDER BY metric, call_path_id, location_id
