-- Operations on open files, each with its end.
--
-- Reads, writes and flushes have a begin record and an end record with the same operation number.
-- Numbers are reused:
--
--     begin 7 ── end 7 ── begin 7 ────── end 7        two operations of the same number
--
-- An end belongs to the previous record of the same number on its location. Remaining ends are
-- paired with remaining begins on other threads of the process. Opening, seeking and closing takes
-- as long as the call.
--
-- Grain:      one row per operation begun on a defined handle
-- Inputs:     io_operations, locations
-- Needs rows: io_operations
-- Output:     file_operations
-- Parameters: none
-- Source:     OTF2 3.0 reference, records of I/O operations; flag 1 is nonblocking, flag 2 is
--             collective
-- Assumes:    the number of an open operation is unique per process and handle
WITH
    records AS (
        SELECT
            io_operations.*,
            locations.location_group_id,
            io_operations.kind = 'operation_begin' AS is_begin,
            {
                'kind': io_operations.kind::VARCHAR,
                'location_id': io_operations.location_id,
                'time_ns': io_operations.time_ns,
                'bytes': io_operations.bytes,
                'visit_id': io_operations.visit_id,
                'call_path_id': io_operations.call_path_id,
                'enter_ns': io_operations.enter_ns,
                'leave_ns': io_operations.leave_ns
            } AS record
        FROM io_operations
        INNER JOIN locations ON io_operations.location_id = locations.location_id
        WHERE
            io_operations.io_handle_id IS NOT NULL
            AND io_operations.kind IN (
                'operation_begin', 'operation_complete', 'operation_cancelled'
            )
    ),

    on_location AS (
        SELECT
            *,
            lead(record) OVER own AS next_record,
            coalesce(lag(is_begin) OVER own, FALSE) AS follows_begin
        FROM records
        WINDOW own AS (PARTITION BY location_id, io_handle_id, matching_id ORDER BY sequence)
    ),

    ended_on_location AS (
        SELECT * EXCLUDE (next_record, follows_begin), next_record AS last_record
        FROM on_location
        WHERE is_begin AND next_record.kind <> 'operation_begin'
    ),

    left_over AS (
        SELECT
            * EXCLUDE (next_record, follows_begin),
            lead(record) OVER (
                PARTITION BY location_group_id, io_handle_id, matching_id
                ORDER BY time_ns, location_id, sequence
            ) AS next_record
        FROM on_location
        WHERE
            if(
                is_begin,
                coalesce(next_record.kind, 'operation_begin') = 'operation_begin',
                NOT follows_begin
            )
    ),

    ended_elsewhere AS (
        SELECT
            * EXCLUDE (next_record),
            if(next_record.kind <> 'operation_begin', next_record, NULL) AS last_record
        FROM left_over
        WHERE is_begin
    ),

    transfers AS (
        SELECT
            *,
            coalesce(last_record.kind = 'operation_cancelled', FALSE) AS is_cancelled,
            (
                last_record.time_ns IS NULL
                OR visit_id IS DISTINCT FROM last_record.visit_id
            ) AS is_nonblocking
        FROM (FROM ended_on_location UNION ALL FROM ended_elsewhere)
    ),

    handled AS (
        SELECT *
        FROM io_operations
        WHERE
            io_handle_id IS NOT NULL
            AND kind IN ('create_handle', 'duplicate_handle', 'seek', 'destroy_handle')
    )

SELECT
    io_handle_id,
    location_id,
    sequence,
    mode::VARCHAR AS mode,
    coalesce(detail & 2, 0) = 2 AS is_collective,
    is_nonblocking,
    is_cancelled,
    if(is_cancelled, 0, coalesce(last_record.bytes, bytes)) AS bytes,
    time_ns AS begin_ns,
    last_record.time_ns AS end_ns,
    visit_id,
    call_path_id,
    enter_ns,
    last_record.location_id AS end_location_id,
    last_record.visit_id AS end_visit_id,
    last_record.call_path_id AS end_call_path_id,
    last_record.enter_ns AS end_enter_ns,
    last_record.leave_ns AS end_leave_ns
FROM transfers
UNION ALL
SELECT
    io_handle_id,
    location_id,
    sequence,
    CASE kind WHEN 'seek' THEN 'seek' WHEN 'destroy_handle' THEN 'close' ELSE 'open' END AS mode,
    FALSE AS is_collective,
    FALSE AS is_nonblocking,
    FALSE AS is_cancelled,
    NULL::BIGINT AS bytes,
    coalesce(enter_ns, time_ns) AS begin_ns,
    coalesce(leave_ns, time_ns) AS end_ns,
    visit_id,
    call_path_id,
    enter_ns,
    location_id AS end_location_id,
    visit_id AS end_visit_id,
    call_path_id AS end_call_path_id,
    enter_ns AS end_enter_ns,
    leave_ns AS end_leave_ns
FROM handled
