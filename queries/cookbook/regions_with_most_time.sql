-- Which functions take the most exclusive time, and how often are they called?
--
-- Grain:      one row per visited region
-- Inputs:     flat_profile, regions
-- Output:     answer
-- Parameters: none
SELECT
    regions.name AS region,
    sum(profile.visit_count)::BIGINT AS visit_count,
    sum(profile.exclusive_ns) / 1e9 AS exclusive_seconds,
    sum(profile.exclusive_ns) / sum(sum(profile.exclusive_ns)) OVER () AS time_ratio
FROM flat_profile AS profile
INNER JOIN regions USING (region_id)
GROUP BY regions.region_id, regions.name
ORDER BY exclusive_seconds DESC, regions.region_id
