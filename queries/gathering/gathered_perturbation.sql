-- The share of the measurement in the time of several runs.
--
-- Grain:      one row per run where it is known
-- Inputs:     run_perturbation
-- Output:     campaign table campaign_runs
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
SELECT
    run_id,
    perturbed_ratio
FROM run_perturbation
WHERE perturbed_ratio IS NOT NULL
ORDER BY run_id
