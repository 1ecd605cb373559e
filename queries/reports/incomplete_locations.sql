-- Locations of which not every announced record could be read.
--
-- Grain:      one row per incomplete location
-- Inputs:     locations
-- Output:     report section trace quality
-- Parameters: $row_limit  only the first locations (BIGINT)
SELECT rank, thread, name AS location, declared_count, record_count
FROM locations
WHERE NOT is_complete
ORDER BY location_id
LIMIT $row_limit::BIGINT
