-- Processes that exchange messages almost only with one partner, if that partner has several such
-- processes.
--
-- Both must send to each other. Collectives do not matter.
--
-- Grain:      one row per devoted process and its partner
-- Inputs:     communication_matrix
-- Needs rows: communication_matrix
-- Output:     devoted_processes
-- Parameters: $least_worker_share  lowest part of a worker's messages that it exchanges with its
--             master (DOUBLE, default 0.75)
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    workers exchange few messages with other processes, also in other phases of the
--             program
WITH
    ends AS (
        SELECT
            sender_group_id AS process_id,
            receiver_group_id AS partner_id,
            message_count AS sent_count,
            0::BIGINT AS received_count
        FROM communication_matrix
        UNION ALL
        SELECT
            receiver_group_id,
            sender_group_id,
            0::BIGINT,
            message_count
        FROM communication_matrix
    ),

    partners AS (
        SELECT
            process_id,
            partner_id,
            sum(sent_count)::BIGINT AS sent_count,
            sum(received_count)::BIGINT AS received_count,
            (sum(sum(sent_count + received_count)) OVER (PARTITION BY process_id))::BIGINT
                AS message_count
        FROM ends
        WHERE process_id <> partner_id
        GROUP BY process_id, partner_id
    ),

    devoted AS (
        SELECT
            *,
            count(*) OVER (PARTITION BY partner_id) AS partner_process_count
        FROM partners
        WHERE
            sent_count > 0
            AND received_count > 0
            AND sent_count + received_count >= $least_worker_share::DOUBLE * message_count
    )

SELECT
    partner_id AS master_group_id,
    process_id AS worker_group_id,
    received_count AS answer_count,
    sent_count + received_count AS shared_count,
    message_count
FROM devoted
WHERE partner_process_count >= 2
