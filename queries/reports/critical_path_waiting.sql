-- Waiting on the critical path, at wait states where the path does not move to the cause.
--
-- Grain:      one row per wait state and call path, separately for extended wait states
-- Inputs:     critical_path_waits, critical_path_summary, metrics, call_paths
-- Needs rows: critical_path_waits
-- Output:     report section critical path
-- Parameters: $row_limit  maximum number of rows, most time first (BIGINT)
WITH
    summed AS (
        SELECT
            property,
            call_path_id,
            is_extended,
            sum(path_ns)::BIGINT AS path_ns
        FROM critical_path_waits
        GROUP BY property, call_path_id, is_extended
    )

SELECT
    metrics.title AS finding,
    call_paths.path AS call_path,
    summed.path_ns,
    summed.path_ns / nullif(whole.computation_ns + whole.communication_ns, 0) AS path_ratio,
    summed.is_extended
FROM summed
CROSS JOIN critical_path_summary AS whole
INNER JOIN metrics ON summed.property = metrics.metric
INNER JOIN call_paths ON summed.call_path_id = call_paths.call_path_id
ORDER BY summed.path_ns DESC, summed.property, summed.call_path_id, summed.is_extended
LIMIT $row_limit::BIGINT
