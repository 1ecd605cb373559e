-- Lost parallelism by call path, to compare runs.
--
-- A loss that stays in the class of the losing threads is moved to that class.
--
-- Grain:      one row per run, key of computing call paths, class of the losing threads, and class
--             that the loss belongs to
-- Inputs:     parallelism_losses, call_path_keys
-- Output:     overheads of a run against another, campaign table run_losses_by_class
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    run_id,
    call_path_keys.call_path_key,
    min(call_path_id) AS call_path_id,
    losses.overhead_id,
    coalesce(losses.moved_to_overhead_id, losses.overhead_id) AS moved_to_overhead_id,
    sum(losses.alone_ns + losses.with_others_ns)::BIGINT AS lost_ns
FROM parallelism_losses AS losses
INNER JOIN call_path_keys USING (run_id, call_path_id)
GROUP BY ALL
ORDER BY run_id, call_path_id, losses.overhead_id, moved_to_overhead_id
