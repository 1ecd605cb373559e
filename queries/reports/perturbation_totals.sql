-- The time that the measurement took in the whole run.
--
-- Grain:      one row
-- Inputs:     run_perturbation
-- Output:     report section perturbation
-- Parameters: none
SELECT
    record_count,
    event_cost_ns,
    is_given,
    cost_ns,
    flush_ns,
    perturbed_ratio
FROM run_perturbation
ORDER BY record_count
