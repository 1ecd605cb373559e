-- Which files take the most time, how much data is transferred, and how large are the accesses?
--
-- Grain:      one row per file, interface and direction, the 20 with the most time
-- Inputs:     file_accesses
-- Output:     answer
-- Parameters: none
SELECT
    file,
    io_paradigm,
    mode,
    sum(operation_count) AS operations,
    sum(bytes) / 1e6 AS megabytes,
    sum(bytes) / nullif(sum(operation_count), 0) AS bytes_per_operation,
    sum(time_ns + in_flight_ns) / 1e9 AS seconds,
    sum(bytes) / nullif(sum(time_ns + in_flight_ns), 0) * 1e3 AS megabytes_per_second
FROM file_accesses
GROUP BY file, io_paradigm, mode
ORDER BY seconds DESC, file, io_paradigm, mode
LIMIT 20
