-- Locations with missing records. Recorded records are the sum of unread, unknown and kept ones.
--
-- Grain:      one row per incomplete location
-- Inputs:     trace_quality, locations
-- Needs rows: trace_quality
-- Output:     report section trace quality
-- Parameters: $row_limit  maximum number of locations (BIGINT)
WITH
    losses AS (
        SELECT
            location_id,
            -- A location without any record has both findings, for the same records.
            coalesce(
                max(count) FILTER (kind IN ('missing_records', 'missing_location')), 0
            ) AS unread_count,
            coalesce(sum(count) FILTER (kind = 'unknown_record'), 0) AS unknown_count,
            coalesce(sum(count) FILTER (kind = 'dropped_attribute'), 0) AS dropped_count
        FROM trace_quality
        WHERE is_loss AND location_id IS NOT NULL
        GROUP BY location_id
    )

SELECT
    locations.rank,
    locations.thread,
    locations.name AS location,
    locations.record_count + losses.unread_count AS recorded_count,
    losses.unread_count,
    losses.unknown_count::BIGINT AS unknown_count,
    (locations.record_count - losses.unknown_count)::BIGINT AS kept_count,
    losses.dropped_count::BIGINT AS dropped_count
FROM losses
INNER JOIN locations ON losses.location_id = locations.location_id
ORDER BY losses.location_id
LIMIT $row_limit::BIGINT
