-- Masters and their workers: a star of processes that ask one of them again and again.
--
-- Most of the master's messages to a worker answer it at once, and more than half of all other
-- processes are its workers. Three processes in a row that exchange borders look like a master
-- with two workers; so of two, one must sometimes be answered twice in succession.
--
-- Three shares speak for a star: of the workers' messages those exchanged with the master, of its
-- messages to them those that answer at once, of all other processes its workers. Their product is
-- the confidence, with 95 for a star that nothing speaks against.
--
-- Grain:      one row per worker of a master
-- Inputs:     devoted_processes, worker_rounds, locations
-- Needs rows: worker_rounds
-- Output:     master_workers
-- Parameters: $least_rounds  how often workers must ask, on average (BIGINT, default 2)
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    work is asked for and handed out in messages. No record says so: that is why at most
--             95 and not 100, which stands for what a trace records. How much less is our choice;
--             it is more than the 75 of matches that something speaks against
WITH
    asked AS (
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
            asked.round_count
        FROM devoted_processes
        INNER JOIN asked USING (master_group_id, worker_group_id)
        WHERE 2 * asked.round_count >= devoted_processes.answer_count
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
