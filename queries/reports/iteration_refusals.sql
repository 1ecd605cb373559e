-- Regions that recur but are no head of the main loop, with the reason; the most frequent first.
--
-- Grain:      one row per caller and region with repeated calls; a second one for first visits of
--             runs
-- Inputs:     iteration_candidates, call_paths, regions, location_groups
-- Needs rows: iteration_candidates
-- Output:     report section iterations
-- Parameters: $row_limit  maximum number of rows (BIGINT, default 10)
-- Assumes:    nothing
SELECT
    regions.name AS region,
    coalesce(call_paths.path, '(root)') AS caller,
    candidates.is_run,
    candidates.reason::VARCHAR AS reason,
    candidates.least_count,
    fewest.rank AS least_rank,
    candidates.most_count,
    most.rank AS most_rank,
    candidates.iteration_count,
    candidates.similarity_ratio,
    candidates.coverage_ratio
FROM iteration_candidates AS candidates
INNER JOIN regions ON candidates.region_id = regions.region_id
LEFT JOIN call_paths ON candidates.call_path_id = call_paths.call_path_id
LEFT JOIN location_groups AS fewest ON candidates.least_group_id = fewest.location_group_id
LEFT JOIN location_groups AS most ON candidates.most_group_id = most.location_group_id
WHERE candidates.reason IS NOT NULL
ORDER BY
    candidates.coverage_ratio DESC,
    candidates.most_count DESC,
    candidates.region_id,
    candidates.call_path_id NULLS FIRST,
    candidates.is_run
LIMIT $row_limit::BIGINT
