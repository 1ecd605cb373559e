-- How many messages and bytes does each rank send and receive?
--
-- Grain:      one row per rank
-- Inputs:     communication_matrix, location_groups
-- Output:     answer
-- Parameters: none
WITH
    ends AS (
        SELECT
            sender_group_id AS location_group_id,
            message_count AS sent_count,
            bytes AS sent_bytes,
            0 AS received_count,
            0 AS received_bytes
        FROM communication_matrix
        UNION ALL
        SELECT receiver_group_id, 0, 0, message_count, bytes FROM communication_matrix
    )

SELECT
    location_groups.rank,
    sum(ends.sent_count)::BIGINT AS sent_count,
    sum(ends.sent_bytes)::BIGINT AS sent_bytes,
    sum(ends.received_count)::BIGINT AS received_count,
    sum(ends.received_bytes)::BIGINT AS received_bytes
FROM ends
INNER JOIN location_groups USING (location_group_id)
GROUP BY location_groups.rank, location_groups.location_group_id
ORDER BY location_groups.rank, location_groups.location_group_id
