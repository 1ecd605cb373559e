-- Parameters other than processes, threads, size and repetition that differ between runs of a
-- program.
--
-- Grain:      one row per application and parameter with several values
-- Inputs:     campaign_runs, run_parameters
-- Output:     campaign report section runs
-- Parameters: $row_limit  maximum number of parameters (BIGINT)
-- Assumes:    nothing
WITH
    counted AS (
        SELECT application, count(*) AS run_count
        FROM campaign_runs
        GROUP BY application
    )

SELECT
    application,
    run_parameters.name AS parameter,
    string_agg(DISTINCT run_parameters.value, ', ' ORDER BY run_parameters.value)
        AS parameter_values
FROM run_parameters
INNER JOIN campaign_runs USING (campaign_run_id)
INNER JOIN counted USING (application)
GROUP BY application, run_parameters.name, counted.run_count
HAVING count(DISTINCT run_parameters.value) > 1 OR count(*) < counted.run_count
ORDER BY application, run_parameters.name
LIMIT $row_limit::BIGINT
