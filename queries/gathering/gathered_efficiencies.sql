-- Efficiencies of several runs as POP defines them, and the sums that their scaling needs.
--
-- Instructions and cycles are left out if a thread with useful time has not counted them.
--
-- Grain:      one row per run, interval and metric
-- Inputs:     pop_metrics, pop_locations, useful_counters
-- Output:     campaign table run_efficiencies
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
WITH
    sums AS (
        SELECT
            run_id,
            interval,
            sum(spent.useful_ns)::DOUBLE AS useful_time,
            if(
                bool_and(counted.instructions IS NOT NULL OR spent.useful_ns = 0),
                sum(counted.instructions),
                NULL
            ) AS instructions,
            if(
                bool_and(counted.cycles IS NOT NULL OR spent.useful_ns = 0),
                sum(counted.cycles),
                NULL
            ) AS cycles
        FROM pop_locations AS spent
        LEFT JOIN useful_counters AS counted USING (run_id, interval, location_id)
        GROUP BY run_id, interval
    )

SELECT
    run_id,
    interval,
    metric,
    value
FROM pop_metrics
WHERE convention IN ('times', 'multiplicative')
UNION ALL
SELECT
    run_id,
    interval,
    metric,
    value
FROM sums
UNPIVOT (value FOR metric IN (useful_time, instructions, cycles))
ORDER BY run_id, interval, metric
