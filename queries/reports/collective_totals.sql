-- Time and bytes of collective operations.
--
-- Grain:      one row per operation, separately for blocking and nonblocking forms
-- Inputs:     collectives, collective_members
-- Needs rows: collectives
-- Output:     report section communication
-- Parameters: none
WITH
    inside AS (
        SELECT
            collective_id,
            sum(leave_ns - enter_ns) AS time_ns,
            sum(bytes_sent) AS sent_bytes,
            sum(bytes_received) AS received_bytes
        FROM collective_members
        GROUP BY collective_id
    )

SELECT
    collectives.operation::VARCHAR AS operation,
    collectives.is_nonblocking,
    count(*) AS collective_count,
    count(*) FILTER (WHERE NOT collectives.is_complete) AS incomplete_count,
    coalesce(sum(inside.time_ns), 0)::BIGINT AS time_ns,
    coalesce(sum(inside.sent_bytes), 0)::BIGINT AS sent_bytes,
    coalesce(sum(inside.received_bytes), 0)::BIGINT AS received_bytes
FROM collectives
LEFT JOIN inside ON collectives.collective_id = inside.collective_id
GROUP BY collectives.operation, collectives.is_nonblocking
ORDER BY time_ns DESC, operation, collectives.is_nonblocking
