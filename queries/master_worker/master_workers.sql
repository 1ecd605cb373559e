-- Masters and their workers: processes in a star that repeatedly send requests to one of them.
--
-- Most of the master's messages to a worker must answer it immediately, and more than half of all
-- other processes must be its workers. Three processes in a row that exchange borders look like a
-- master with two workers. With two workers, one must therefore be answered twice in succession at
-- least once.
--
-- The confidence is 95 times the product of three ratios: messages exchanged with the master among
-- the workers' messages, immediate answers among the master's messages to workers, and workers
-- among all other processes.
--
-- Grain:      one row per worker of a master
-- Inputs:     devoted_processes, worker_rounds, locations
-- Needs rows: worker_rounds
-- Output:     master_workers
-- Parameters: $least_rounds  lowest average number of requests per worker (BIGINT, default 2)
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    work is requested and assigned in messages. No record states this, so the confidence
--             is at most 95: less than 100, which stands for recorded facts, and more than the 75
--             of uncertain matches
WITH
    requested AS (
        SELECT
            master_group_id,
            worker_group_id,
            count(*) AS round_count
        FROM worker_rounds
        GROUP BY master_group_id, worker_group_id
    ),

    workers AS (
        SELECT
            devoted_processes.*,
            requested.round_count
        FROM devoted_processes
        INNER JOIN requested USING (master_group_id, worker_group_id)
        WHERE 2 * requested.round_count >= devoted_processes.answer_count
    ),

    followed AS (
        SELECT
            master_group_id,
            worker_group_id,
            lag(worker_group_id) OVER (
                PARTITION BY master_group_id ORDER BY taken_ns, request_id
            ) AS last_group_id
        FROM worker_rounds
    ),

    others AS (
        SELECT count(DISTINCT location_group_id) - 1 AS process_count
        FROM locations
        WHERE kind IN ('cpu_thread', 'unknown')
    ),

    stars AS (
        SELECT
            master_group_id,
            count(*) AS worker_count,
            sum(round_count) AS round_count,
            sum(answer_count) AS answer_count,
            sum(shared_count) AS shared_count,
            sum(message_count) AS message_count
        FROM workers
        GROUP BY master_group_id
    )

SELECT
    workers.master_group_id,
    workers.worker_group_id,
    workers.round_count,
    (
        95 * stars.shared_count * stars.round_count * stars.worker_count
        // (stars.message_count * stars.answer_count * others.process_count)
    )::TINYINT AS confidence
FROM stars
CROSS JOIN others
INNER JOIN workers ON stars.master_group_id = workers.master_group_id
WHERE
    stars.worker_count >= 2
    AND 2 * stars.worker_count > others.process_count
    AND stars.round_count >= $least_rounds::BIGINT * stars.worker_count
    AND (
        stars.worker_count > 2
        OR stars.master_group_id IN (
            SELECT master_group_id FROM followed
            WHERE worker_group_id = last_group_id
        )
    )
ORDER BY workers.worker_group_id, workers.master_group_id
