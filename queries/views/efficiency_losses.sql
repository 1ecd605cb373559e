-- Time that threads lose for computation, by the efficiency of POP that it lowers.
--
-- All losses of a thread together are the time of the run in which it does not compute. The load of
-- a thread is its computation; with teams of threads, it is its time outside of MPI. Natural joins
-- and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per interval and thread of a process
-- Inputs:     pop_metrics, pop_locations
-- Output:     efficiency_losses
-- Parameters: none
-- Source:     POP metrics, additive: one minus each is the share of the run that is lost
-- Assumes:    nothing
WITH
    times AS (
        SELECT
            COLUMNS('^(run_id|interval)$'),
            max(value) FILTER (WHERE metric = 'run_time') AS run_ns,
            max(value) FILTER (WHERE metric = 'ideal_run_time') AS ideal_ns,
            max(value) FILTER (WHERE metric = 'run_time')
            * max(value) FILTER (WHERE metric = 'communication_efficiency') AS longest_ns,
            bool_or(metric = 'openmp_efficiency') AS has_teams,
            bool_and(is_valid) AS is_valid
        FROM pop_metrics
        GROUP BY ALL
    )

SELECT
    COLUMNS('^(run_id|interval|location_id)$'),
    round(
        longest_ns - useful_ns - if(has_teams, barrier_wait_ns + outside_ns + other_ns, 0)
    )::BIGINT AS load_imbalance_ns,
    if(is_valid, round(ideal_ns - longest_ns)::BIGINT, NULL) AS serialization_ns,
    if(is_valid, round(run_ns - ideal_ns)::BIGINT, NULL) AS transfer_ns,
    if(is_valid, NULL, round(run_ns - longest_ns)::BIGINT) AS communication_ns,
    if(has_teams, outside_ns, NULL) AS openmp_serialization_ns,
    if(has_teams, barrier_wait_ns, NULL) AS openmp_load_imbalance_ns,
    if(has_teams, other_ns, NULL) AS openmp_scheduling_ns
FROM pop_locations
NATURAL INNER JOIN times
