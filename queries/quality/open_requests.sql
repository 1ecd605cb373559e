-- Receives and collectives that were started but neither completed nor canceled.
--
-- Request ids are reused. A start is open if the next record of its id is neither a completion nor
-- a cancellation:
--
--     irecv_request 7   irecv 7   irecv_request 7   irecv_request 7   request_cancelled 7
--     completed                   open              cancelled
--
-- Locations are skipped if they complete as many receives as they start, and each completion has
-- its start.
--
-- Grain:      one row per location with open requests
-- Inputs:     mpi_operations, location_messages
-- Needs rows: mpi_operations
-- Output:     open_requests
-- Parameters: none
-- Source:     the requests of MPI 4.0, section 3.7
-- Assumes:    a request is completed on the location that started it
WITH
    records AS (
        SELECT
            location_id,
            bool_or(kind = 'request_cancelled') AS is_cancelled,
            count(*) FILTER (WHERE kind IN ('irecv_request', 'imrecv_request')) AS start_count,
            count(*) FILTER (WHERE kind IN ('irecv', 'imrecv')) AS completion_count,
            count(*) FILTER (WHERE kind IN ('recv', 'irecv', 'mrecv', 'imrecv')) AS receive_count
        FROM mpi_operations
        GROUP BY location_id
    ),

    -- For a receive from an unknown process, it is unknown whether it was posted.
    doubtful_locations AS (
        SELECT records.location_id
        FROM records
        LEFT JOIN location_messages AS known USING (location_id)
        WHERE
            records.is_cancelled
            OR records.start_count <> records.completion_count
            OR records.receive_count > coalesce(known.receive_count - known.unrequested_count, 0)
    ),

    request_records AS (
        SELECT
            location_id,
            kind,
            lead(kind) OVER (
                PARTITION BY location_id, request_id, kind LIKE 'nonblocking_collective%'
                ORDER BY sequence
            ) AS next_kind
        FROM mpi_operations
        WHERE
            kind IN ('nonblocking_collective_request', 'nonblocking_collective')
            OR (
                kind IN (
                    'irecv_request', 'irecv', 'imrecv_request', 'imrecv', 'request_cancelled'
                )
                AND location_id IN (FROM doubtful_locations)
            )
    )

SELECT
    location_id,
    count(*) AS request_count
FROM request_records
WHERE
    kind IN ('irecv_request', 'imrecv_request', 'nonblocking_collective_request')
    AND (
        next_kind IS NULL
        OR next_kind NOT IN ('irecv', 'imrecv', 'nonblocking_collective', 'request_cancelled')
    )
GROUP BY location_id
