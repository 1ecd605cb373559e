-- Tasks that are too fine: a worker spends more time getting a task than computing it.
--
--     worker    [send][recv ...........]computes[send][recv ...
--               |── getting the task ──|        |
--
-- Getting a task lasts from the request until the task has arrived, including the wait for the
-- master. The last request of a worker is left out, because the end of its computation is unknown.
--
-- Grain:      one row per task that took longer to get than to compute
-- Inputs:     master_workers, worker_rounds, messages
-- Needs rows: master_workers
-- Output:     tasks_too_fine
-- Parameters: none
-- Pattern:    finding
-- Metrics:    tasks_too_fine
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    a worker computes from an answer until its next request
WITH
    rounds AS (
        SELECT
            worker_rounds.*,
            master_workers.confidence,
            lead(worker_rounds.asked_ns) OVER (
                PARTITION BY worker_rounds.worker_location_id, worker_rounds.master_group_id
                ORDER BY worker_rounds.asked_ns, worker_rounds.request_id
            ) AS next_asked_ns
        FROM worker_rounds
        INNER JOIN master_workers USING (master_group_id, worker_group_id)
    )

SELECT
    answers.receive_completion_call_path_id AS call_path_id,
    rounds.worker_location_id AS location_id,
    answers.receive_completion_visit_id AS visit_id,
    rounds.asked_ns AS start_ns,
    rounds.received_ns - rounds.asked_ns AS value,
    rounds.master_location_id AS cause_location_id,
    answers.send_post_visit_id AS cause_visit_id,
    if(rounds.is_clock_violation, least(rounds.confidence, 50), rounds.confidence)::TINYINT
        AS confidence
FROM rounds
INNER JOIN messages AS answers ON rounds.answer_id = answers.message_id
WHERE
    rounds.next_asked_ns >= rounds.received_ns
    AND rounds.next_asked_ns - rounds.received_ns < rounds.received_ns - rounds.asked_ns
