-- Call paths with the most exclusive overhead.
--
-- Grain:      one row per call path and class of overhead other than computation
-- Inputs:     call_path_overheads, overhead_classes, call_paths, overheads
-- Output:     report section overheads
-- Parameters: $row_limit  maximum number of call paths, most overhead first (BIGINT)
WITH
    total AS (SELECT sum(time_ns) AS total_ns FROM overheads)

SELECT
    call_paths.path AS call_path,
    classes.overhead_class::VARCHAR AS overhead_class,
    classes.overhead_subclass::VARCHAR AS overhead_subclass,
    spent.exclusive_ns,
    spent.exclusive_ns / nullif(total.total_ns, 0) AS exclusive_ratio
FROM call_path_overheads AS spent
CROSS JOIN total
INNER JOIN overhead_classes AS classes ON spent.overhead_id = classes.overhead_id
INNER JOIN call_paths ON spent.call_path_id = call_paths.call_path_id
WHERE classes.overhead_class <> 'computation' AND spent.exclusive_ns <> 0
ORDER BY spent.exclusive_ns DESC, spent.call_path_id, spent.overhead_id
LIMIT $row_limit::BIGINT
