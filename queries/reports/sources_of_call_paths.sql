-- File and line of some call paths.
--
-- Grain:      one row per call path whose name has one file and line
-- Inputs:     call_path_sources
-- Output:     all report sections with call paths
-- Parameters: $call_paths  names of the call paths (VARCHAR[])
SELECT
    call_path,
    any_value(source) AS source
FROM call_path_sources
WHERE list_contains($call_paths::VARCHAR[], call_path)
GROUP BY call_path
HAVING count(DISTINCT source) = 1
ORDER BY call_path
