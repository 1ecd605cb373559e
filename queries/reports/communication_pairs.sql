-- Number and size of messages between pairs of processes.
--
-- Grain:      one row per pair of processes that exchanged messages in that direction
-- Inputs:     communication_matrix, location_groups
-- Needs rows: communication_matrix
-- Output:     report section communication
-- Parameters: $row_limit  maximum number of pairs, most bytes first (BIGINT)
SELECT
    senders.rank AS sender_rank,
    receivers.rank AS receiver_rank,
    communication_matrix.message_count,
    communication_matrix.bytes
FROM communication_matrix
INNER JOIN location_groups AS senders
    ON communication_matrix.sender_group_id = senders.location_group_id
INNER JOIN location_groups AS receivers
    ON communication_matrix.receiver_group_id = receivers.location_group_id
ORDER BY
    communication_matrix.bytes DESC,
    communication_matrix.message_count DESC,
    senders.rank,
    receivers.rank,
    communication_matrix.sender_group_id,
    communication_matrix.receiver_group_id
LIMIT $row_limit::BIGINT
