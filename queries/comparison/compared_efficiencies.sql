-- Efficiencies of runs as POP defines them, to compare runs: multiplicative.
--
-- Grain:      one row per run, interval and efficiency
-- Inputs:     efficiencies
-- Output:     comparison of runs, page of a night
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    run_id,
    interval,
    metric,
    efficiency,
    place,
    value AS ratio
FROM efficiencies
WHERE convention = 'multiplicative'
ORDER BY run_id, interval, place
