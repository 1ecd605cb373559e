-- Iterations of the main loop with ranks, in seconds.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per iteration and process
-- Inputs:     iterations, location_groups
-- Output:     iterations_by_rank
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
SELECT
    COLUMNS('^(run_id|iteration)$'),
    rank,
    begin_ns / 1e9 AS begin_seconds,
    time_ns / 1e9 AS seconds,
    computing_ns / 1e9 AS computing_seconds,
    wait_ns / 1e9 AS wait_seconds,
    path_ns / 1e9 AS path_seconds,
    bytes_sent,
    imbalance_ratio,
    location_group_id,
    begin_ns,
    end_ns,
    time_ns
FROM iterations
NATURAL LEFT JOIN (SELECT COLUMNS('^(run_id|location_group_id|rank)$') FROM location_groups)
