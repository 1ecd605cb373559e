-- Call paths that wait for one cause, in the configuration with the most processes, at the largest
-- size.
--
-- Grain:      one row per application and waiting call path whose cause is certain
-- Inputs:     waiting_causes, configuration_causes, campaign_call_paths
-- Output:     campaign report section causes
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
WITH
    largest AS (
        SELECT
            application,
            max(processes) AS processes,
            arg_max(size, (processes, size)) AS size
        FROM configuration_causes
        GROUP BY application
    )

SELECT
    waiting.application,
    waiting.processes,
    waiting.size,
    paths.call_path,
    causes.call_path AS cause_call_path,
    waiting.cause_rank,
    waiting.certain_share AS certain_ratio
FROM waiting_causes AS waiting
INNER JOIN largest USING (application, processes, size)
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
INNER JOIN campaign_call_paths AS causes ON waiting.cause_call_path_key = causes.call_path_key
ORDER BY waiting.application, waiting.call_path_key
LIMIT $row_limit::BIGINT
