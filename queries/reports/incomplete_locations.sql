-- Locations of which not everything that was recorded is in the tables.
--
-- Grain:      one row per incomplete location
-- Inputs:     trace_quality, locations
-- Output:     report section trace quality
-- Parameters: $row_limit  only the first locations (BIGINT)
WITH
    -- That a location has no record at all is told beside the loss of its records.
    losses AS (
        SELECT
            location_id,
            sum(count) FILTER (kind <> 'missing_location') AS lost_count
        FROM trace_quality
        WHERE is_loss AND location_id IS NOT NULL
        GROUP BY location_id
    )

SELECT
    locations.rank,
    locations.thread,
    locations.name AS location,
    locations.declared_count,
    locations.record_count,
    coalesce(losses.lost_count, locations.declared_count)::BIGINT AS lost_count
FROM losses
INNER JOIN locations ON losses.location_id = locations.location_id
ORDER BY losses.location_id
LIMIT $row_limit::BIGINT
