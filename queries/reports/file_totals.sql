-- Bytes read from and written to each file, with time and transfer rate.
--
-- Grain:      one row per file and interface
-- Inputs:     file_accesses
-- Needs rows: file_accesses
-- Output:     report section communication; rates are bytes per second of one process while it
--             reads or writes
-- Parameters: $row_limit  maximum number of files, most time first (BIGINT)
WITH
    summed AS (
        SELECT
            file,
            io_paradigm,
            count(DISTINCT location_id) AS location_count,
            sum(operation_count) FILTER (WHERE mode IN ('read', 'write', 'flush'))
                AS operation_count,
            sum(bytes) FILTER (WHERE mode = 'read') AS read_bytes,
            sum(bytes) FILTER (WHERE mode = 'write') AS written_bytes,
            sum(time_ns) AS time_ns,
            sum(in_flight_ns) AS in_flight_ns,
            sum(time_ns + in_flight_ns) FILTER (WHERE mode = 'read') AS read_ns,
            sum(time_ns + in_flight_ns) FILTER (WHERE mode = 'write') AS write_ns
        FROM file_accesses
        GROUP BY file, io_paradigm
    )

SELECT
    file,
    io_paradigm,
    location_count,
    coalesce(operation_count, 0)::BIGINT AS operation_count,
    coalesce(read_bytes, 0)::BIGINT AS read_bytes,
    coalesce(written_bytes, 0)::BIGINT AS written_bytes,
    time_ns::BIGINT AS time_ns,
    in_flight_ns::BIGINT AS in_flight_ns,
    (read_bytes * 1e9 / nullif(read_ns, 0))::BIGINT AS read_rate_bytes,
    (written_bytes * 1e9 / nullif(write_ns, 0))::BIGINT AS write_rate_bytes
FROM summed
ORDER BY time_ns + in_flight_ns DESC, file, io_paradigm
LIMIT $row_limit::BIGINT
