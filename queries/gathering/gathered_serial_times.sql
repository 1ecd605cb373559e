-- Time of several runs in which exactly one of several threads computes.
--
-- While one of P threads computes, the P - 1 others lose time, which is charged to the one.
--
-- Grain:      one row per run of several threads
-- Inputs:     parallelism_losses, locations
-- Output:     campaign table campaign_runs
-- Parameters: none
-- Source:     T_seq of J. L. Gustafson, 1988
-- Assumes:    tables hold several runs, distinguished by run_id; losses are those of the main part
WITH
    threads AS (
        SELECT
            run_id,
            count(*) AS thread_count
        FROM locations
        WHERE kind IN ('cpu_thread', 'unknown')
        GROUP BY run_id
        HAVING thread_count > 1
    ),

    losses AS (
        SELECT
            run_id,
            sum(alone_ns) AS alone_ns
        FROM parallelism_losses
        GROUP BY run_id
    )

SELECT
    threads.run_id,
    (coalesce(losses.alone_ns, 0) // (threads.thread_count - 1))::BIGINT AS serial_ns
FROM threads
LEFT JOIN losses USING (run_id)
ORDER BY threads.run_id
