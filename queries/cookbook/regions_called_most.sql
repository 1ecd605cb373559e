-- Which functions are called most often, and how short are the calls? Short functions are
-- candidates for a measurement filter.
--
-- Grain:      one row per region, the 20 most visited
-- Inputs:     flat_profile, regions
-- Output:     answer
-- Parameters: none
SELECT
    regions.name AS region,
    sum(profile.visit_count)::BIGINT AS visit_count,
    sum(profile.exclusive_ns) / sum(profile.visit_count) AS exclusive_ns_per_visit
FROM flat_profile AS profile
INNER JOIN regions USING (region_id)
GROUP BY regions.region_id, regions.name
ORDER BY visit_count DESC, regions.region_id
LIMIT 20
