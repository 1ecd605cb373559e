-- Data read from and written to files, for making a described program of a run.
--
-- Operations that another interface records as well, such as POSIX below MPI-IO, count once.
--
-- Grain:      one row per read or write, at its begin
-- Inputs:     io_operations, io_handles, locations
-- Output:     calls of a program
-- Parameters: none
-- Assumes:    the requested bytes are transferred
SELECT
    locations.rank,
    operations.mode AS operation,
    coalesce(operations.call_path_id, -1)::INTEGER AS call_path_id,
    coalesce(operations.enter_ns, operations.time_ns) AS enter_ns,
    coalesce(operations.visit_id, -1) AS visit_id,
    coalesce(operations.bytes, 0) AS bytes
FROM io_operations AS operations
INNER JOIN locations USING (location_id)
LEFT JOIN io_handles USING (io_handle_id)
WHERE
    operations.kind = 'operation_begin'
    AND operations.mode IN ('read', 'write')
    AND io_handles.parent_io_handle_id IS NULL
ORDER BY locations.rank, operations.sequence
