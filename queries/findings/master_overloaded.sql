-- An overloaded master: it works on a request of one worker while another worker waits.
--
--     worker 1  [send][recv ...................]
--     worker 2          [send][recv ...........................]
--     master           [recv]   works   [send ][recv]works[send]
--                              |-found-|                           worker 2 waits
--
-- A worker waits from entering the call that receives its answer until the master takes its
-- request. The master's time counts once, however many workers wait.
--
-- Grain:      one row per request during which another worker waited
-- Inputs:     master_workers, worker_rounds, messages, call_paths
-- Needs rows: master_workers
-- Output:     master_overloaded
-- Parameters: none
-- Pattern:    finding
-- Metrics:    master_overloaded
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    clocks are synchronized; a master works for a worker between its request and the
--             answer
WITH
    rounds AS (
        SELECT
            worker_rounds.*,
            master_workers.confidence
        FROM worker_rounds
        INNER JOIN master_workers USING (master_group_id, worker_group_id)
    ),

    -- A worker begins to wait, its request is taken, and it is answered.
    moments AS (
        SELECT
            master_location_id,
            request_id,
            unnest([awaited_ns, taken_ns, answered_ns]) AS at_ns,
            unnest(if(awaited_ns < taken_ns, [1, -1, 0], [0, 0, 0])) AS change,
            unnest(['awaited', 'taken', 'answered']) AS kind
        FROM rounds
    ),

    -- Any order of equal times is correct, because no time passes between them.
    counted AS (
        SELECT
            *,
            sum(change) OVER (
                PARTITION BY master_location_id
                ORDER BY at_ns, request_id, kind
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS waiting_count
        FROM moments
    ),

    intervals AS (
        SELECT
            *,
            if(lag(waiting_count) OVER later > 0, at_ns - lag(at_ns) OVER later, 0) AS crowded_ns
        FROM counted
        WINDOW later AS (PARTITION BY master_location_id ORDER BY at_ns, request_id, kind)
    ),

    summed AS (
        SELECT
            request_id,
            kind,
            sum(crowded_ns) OVER (
                PARTITION BY master_location_id
                ORDER BY at_ns, request_id, kind
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS crowded_ns
        FROM intervals
    ),

    -- Time with waiting workers up to the answer, minus the same up to the taking of the request.
    crowded AS (
        SELECT
            request_id,
            (
                max(crowded_ns) FILTER (WHERE kind = 'answered')
                - max(crowded_ns) FILTER (WHERE kind = 'taken')
            )::BIGINT AS crowded_ns
        FROM summed
        GROUP BY request_id
    )

SELECT
    coalesce(call_paths.parent_call_path_id, call_paths.call_path_id) AS call_path_id,
    rounds.master_location_id AS location_id,
    rounds.taken_ns AS start_ns,
    crowded.crowded_ns AS value,
    rounds.worker_location_id AS cause_location_id,
    requests.send_post_visit_id AS cause_visit_id,
    if(rounds.is_clock_violation, least(rounds.confidence, 50), rounds.confidence)::TINYINT
        AS confidence
FROM crowded
INNER JOIN rounds ON crowded.request_id = rounds.request_id
INNER JOIN messages AS requests ON rounds.request_id = requests.message_id
INNER JOIN messages AS answers ON rounds.answer_id = answers.message_id
INNER JOIN call_paths ON answers.send_post_call_path_id = call_paths.call_path_id
WHERE crowded.crowded_ns > 0
