-- Number of blocking collectives and their bytes: each completion counts, whether or not all
-- members take part.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     mpi_operations
-- Needs rows: mpi_operations
-- Output:     collective_counts
-- Parameters: none
-- Source:     Scalasca pattern reference, "Collective communications" and "Bytes transferred"
-- Assumes:    nothing
WITH
    ended AS (
        SELECT
            call_path_id,
            location_id,
            coalesce(bytes, 0) AS sent,
            coalesce(bytes_received, 0) AS received
        FROM mpi_operations
        WHERE kind = 'collective' AND call_path_id IS NOT NULL
    ),

    counted AS (
        SELECT
            call_path_id,
            location_id,
            sum(sent)::BIGINT AS bytes_cout,
            sum(received)::BIGINT AS bytes_cin,
            count(*) FILTER (WHERE sent > 0 AND received > 0) AS comms_cxch,
            count(*) FILTER (WHERE sent > 0 AND received = 0) AS comms_csrc,
            count(*) FILTER (WHERE sent = 0 AND received > 0) AS comms_cdst,
            count(*) FILTER (WHERE sent = 0 AND received = 0) AS syncs_coll
        FROM ended
        GROUP BY call_path_id, location_id
    )

SELECT
    metric,
    call_path_id,
    location_id,
    value
FROM counted
UNPIVOT (
    value FOR metric IN (bytes_cout, bytes_cin, comms_cxch, comms_csrc, comms_cdst, syncs_coll)
)
WHERE value <> 0
ORDER BY metric, call_path_id, location_id
