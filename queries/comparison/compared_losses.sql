-- Lost parallelism by call path, to compare runs.
--
-- Grain:      one row per run, computing call path, and class of the losing threads
-- Inputs:     parallelism_losses
-- Output:     overheads of a run against another
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    run_id,
    call_path_id,
    overhead_id,
    moved_to_overhead_id,
    alone_ns + with_others_ns AS lost_ns
FROM parallelism_losses
ORDER BY run_id, call_path_id, overhead_id
