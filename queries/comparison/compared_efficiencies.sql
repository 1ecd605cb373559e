-- Efficiencies of runs as POP defines them, to compare runs: multiplicative, of one interval.
--
-- That is the focus, else from leaving MPI_Init to entering MPI_Finalize, else the whole run.
--
-- Grain:      one row per run and efficiency
-- Inputs:     efficiencies
-- Output:     comparison of runs, page of a night
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; names of intervals sort in the
--             order of preference
WITH
    preferred AS (
        SELECT
            run_id,
            min(interval) AS interval
        FROM efficiencies
        GROUP BY run_id
    )

SELECT
    efficiencies.run_id,
    efficiencies.metric,
    efficiencies.efficiency,
    efficiencies.place,
    efficiencies.value AS ratio
FROM efficiencies
INNER JOIN preferred USING (run_id, interval)
WHERE efficiencies.convention = 'multiplicative'
ORDER BY efficiencies.run_id, efficiencies.place
