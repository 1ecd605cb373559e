-- An overloaded master: it works on a request of one worker while another one already waits.
--
--     worker 1  [send][recv ...................]
--     worker 2          [send][recv ...........................]
--     master           [recv]   works   [send ][recv]works[send]
--                              |-found-|                           worker 2 waits
--
-- A worker waits from entering the call that gets its answer until the master takes its request.
-- However many wait, the time of the master counts once.
--
-- Grain:      one row per request during which another worker waited
-- Inputs:     master_workers, worker_rounds, messages, call_paths
-- Needs rows: master_workers
-- Output:     master_overloaded
-- Parameters: none
-- Pattern:    finding
-- Metrics:    master_overloaded "Master Overloaded": Time in which a master works on one request
--             while another worker waits to be served.
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    clocks synchronised; a master works for a worker between its request and the answer
WITH
    rounds AS (
        SELECT
            worker_rounds.*,
            master_workers.confidence
        FROM worker_rounds
        INNER JOIN master_workers USING (master_group_id, worker_group_id)
    ),

    queued AS (
        SELECT
            master_location_id,
            awaited_ns AS begin_ns,
            taken_ns AS end_ns
        FROM rounds
        WHERE awaited_ns < taken_ns
    ),

    -- Where a gap precedes, nobody waited until the worker came.
    ordered AS (
        SELECT
            *,
            begin_ns > max(end_ns) OVER (
                PARTITION BY master_location_id
                ORDER BY begin_ns, end_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS is_after_gap
        FROM queued
    ),

    numbered AS (
        SELECT
            *,
            count(*) FILTER (WHERE is_after_gap) OVER (
                PARTITION BY master_location_id
                ORDER BY begin_ns, end_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS queue_number
        FROM ordered
    ),

    -- Stretches in which somebody waits, one after the other, with the time of those before.
    queues AS (
        SELECT
            master_location_id,
            min(begin_ns) AS begin_ns,
            max(end_ns) AS end_ns,
            coalesce(
                sum(max(end_ns) - min(begin_ns)) OVER (
                    PARTITION BY master_location_id
                    ORDER BY queue_number
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ),
                0
            )::BIGINT AS before_ns
        FROM numbered
        GROUP BY master_location_id, queue_number
    ),

    -- The difference between the time of queues until the answer and until the request was taken.
    crowded AS (
        SELECT
            rounds.*,
            coalesce(
                at_end.before_ns + least(at_end.end_ns, rounds.answered_ns) - at_end.begin_ns, 0
            ) - coalesce(
                at_begin.before_ns + least(at_begin.end_ns, rounds.taken_ns) - at_begin.begin_ns, 0
            ) AS crowded_ns
        FROM rounds
        ASOF LEFT JOIN queues AS at_begin
            ON
                rounds.master_location_id = at_begin.master_location_id
                AND rounds.taken_ns >= at_begin.begin_ns
        ASOF LEFT JOIN queues AS at_end
            ON
                rounds.master_location_id = at_end.master_location_id
                AND rounds.answered_ns >= at_end.begin_ns
    )

SELECT
    'master_overloaded' AS property,
    coalesce(call_paths.parent_call_path_id, call_paths.call_path_id) AS call_path_id,
    crowded.master_location_id AS location_id,
    NULL::BIGINT AS visit_id,
    crowded.taken_ns AS start_ns,
    crowded.crowded_ns AS value,
    crowded.worker_location_id AS cause_location_id,
    requests.send_post_visit_id AS cause_visit_id,
    if(crowded.is_clock_violation, least(crowded.confidence, 50), crowded.confidence)::TINYINT
        AS confidence
FROM crowded
INNER JOIN messages AS requests ON crowded.request_id = requests.message_id
INNER JOIN messages AS answers ON crowded.answer_id = answers.message_id
INNER JOIN call_paths ON answers.send_post_call_path_id = call_paths.call_path_id
WHERE crowded.crowded_ns > 0
ORDER BY crowded.master_location_id, crowded.taken_ns, crowded.request_id
