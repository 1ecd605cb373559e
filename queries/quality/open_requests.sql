-- Receives and collectives that were started, but neither completed nor cancelled.
--
-- A request id may be used again, so a start is open if the next record of its id is neither:
--
--     irecv_request 7   irecv 7   irecv_request 7   irecv_request 7   request_cancelled 7
--     completed                   open              cancelled
--
-- Where as many receives are completed as started, and each completion has its start, none is
-- open: such locations are passed over.
--
-- Grain:      one row per location with open requests
-- Inputs:     mpi_operations, receives
-- Output:     open_requests
-- Parameters: none
-- Source:     the requests of MPI 4.0, section 3.7
-- Assumes:    a request is completed on the location that started it
WITH
    unrequested AS (
        SELECT DISTINCT receiver_location_id AS location_id
        FROM receives
        WHERE receive_post_ns IS NULL
    ),

    doubtful_locations AS (
        SELECT location_id
        FROM mpi_operations
        GROUP BY location_id
        HAVING
            bool_or(kind = 'request_cancelled')
            OR count(*) FILTER (WHERE kind IN ('irecv_request', 'imrecv_request'))
            <> count(*) FILTER (WHERE kind IN ('irecv', 'imrecv'))
        UNION
        FROM unrequested
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
ORDER BY location_id
