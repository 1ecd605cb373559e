-- Which functions is the critical path in? Only a speedup of these functions shortens the run.
--
-- Grain:      one row per region on the critical path
-- Inputs:     critical_path_profile, call_paths, regions
-- Output:     answer
-- Parameters: none
SELECT
    regions.name AS region,
    sum(profile.path_ns) / 1e9 AS seconds,
    sum(profile.path_ns) / sum(sum(profile.path_ns)) OVER () AS path_ratio
FROM critical_path_profile AS profile
INNER JOIN call_paths USING (call_path_id)
INNER JOIN regions USING (region_id)
GROUP BY regions.region_id, regions.name
ORDER BY seconds DESC, regions.region_id
