-- Which call paths grow on the critical path, or do not shrink?
--
-- Grain:      one row per application, size, and call path that does not shrink
-- Inputs:     path_changes, campaign_call_paths
-- Output:     answer
-- Parameters: none
SELECT
    changes.application,
    changes.largest_size,
    changes.smallest_processes,
    changes.largest_processes,
    changes.verdict,
    paths.call_path,
    changes.smallest_ns / 1e9 AS smallest_seconds,
    changes.largest_ns / 1e9 AS largest_seconds,
    changes.largest_share,
    changes.noise_ratio
FROM path_changes AS changes
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
WHERE changes.verdict <> 'shrinks'
ORDER BY
    changes.application,
    changes.largest_size DESC,
    changes.largest_ns DESC,
    changes.call_path_key
