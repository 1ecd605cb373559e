-- Requests that were answered before the next request was taken.
--
--     worker    [send][recv ...................]  computes
--     master           [recv]   works   [send ]
--                asked     taken     answered  received
--
-- A request is a message to the master whose receiving call completes no other message and posts no
-- send. Its answer is the first message to the same worker that the master posts afterwards, before
-- it completes another request. Processes that exchange borders with neighbors complete several
-- messages together, or answer another process first.
--
-- Grain:      one row per request that was answered immediately
-- Inputs:     devoted_processes, messages
-- Needs rows: devoted_processes
-- Output:     worker_rounds
-- Parameters: none
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    each location of the master works on one request at a time
WITH
    posted AS (
        SELECT *
        FROM messages
        WHERE send_post_visit_id IS NOT NULL AND receive_completion_visit_id IS NOT NULL
    ),

    -- Actions of each location of a master: taking a request, or sending an answer.
    actions AS (
        SELECT
            posted.message_id,
            FALSE AS is_answer,
            devoted.master_group_id,
            devoted.worker_group_id,
            posted.receiver_location_id AS master_location_id,
            posted.receive_completion_visit_id AS visit_id,
            posted.receive_completion_leave_ns AS time_ns
        FROM posted
        INNER JOIN devoted_processes AS devoted
            ON
                posted.sender_group_id = devoted.worker_group_id
                AND posted.receiver_group_id = devoted.master_group_id
        UNION ALL
        SELECT
            posted.message_id,
            TRUE AS is_answer,
            devoted.master_group_id,
            devoted.worker_group_id,
            posted.sender_location_id AS master_location_id,
            posted.send_post_visit_id AS visit_id,
            posted.send_post_enter_ns AS time_ns
        FROM posted
        INNER JOIN devoted_processes AS devoted
            ON
                posted.sender_group_id = devoted.master_group_id
                AND posted.receiver_group_id = devoted.worker_group_id
    ),

    -- Each action with the last request taken up to then.
    following AS (
        SELECT
            *,
            count(*) OVER (PARTITION BY visit_id) AS visit_action_count,
            last_value(if(is_answer, NULL, message_id) IGNORE NULLS) OVER (
                PARTITION BY master_location_id
                ORDER BY time_ns, is_answer, message_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS request_id
        FROM actions
    ),

    -- The first answer that follows a request of the same worker.
    rounds AS (
        SELECT
            following.*,
            requests.time_ns AS taken_ns
        FROM following
        INNER JOIN following AS requests
            ON
                following.request_id = requests.message_id
                AND following.worker_group_id = requests.worker_group_id
        WHERE following.is_answer AND NOT requests.is_answer AND requests.visit_action_count = 1
        QUALIFY
            row_number() OVER (
                PARTITION BY following.request_id ORDER BY following.time_ns, following.message_id
            ) = 1
    )

SELECT
    rounds.request_id,
    rounds.message_id AS answer_id,
    rounds.master_group_id,
    rounds.worker_group_id,
    rounds.master_location_id,
    answers.receiver_location_id AS worker_location_id,
    requests.send_post_enter_ns AS asked_ns,
    answers.receive_completion_enter_ns AS awaited_ns,
    rounds.taken_ns,
    answers.send_post_enter_ns AS answered_ns,
    answers.receive_completion_leave_ns AS received_ns,
    requests.is_clock_violation OR answers.is_clock_violation AS is_clock_violation
FROM rounds
INNER JOIN messages AS requests ON rounds.request_id = requests.message_id
INNER JOIN messages AS answers ON rounds.message_id = answers.message_id
