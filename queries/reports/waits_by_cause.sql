-- Wait states per pair of waiting location and causing location.
--
-- Grain:      one row per property, causing location and waiting location, separately for extended
--             wait states
-- Inputs:     main_waits, metrics, locations, main_times
-- Output:     report section wait states
-- Parameters: $row_limit  maximum number of pairs, longest waits first (BIGINT)
WITH
    pairs AS (
        SELECT
            property,
            is_extended,
            cause_location_id,
            location_id,
            sum(wait_ns) AS wait_ns,
            sum(main_ns) AS main_ns,
            count(*) AS wait_count,
            max(wait_ns) AS longest_ns
        FROM main_waits
        GROUP BY property, is_extended, cause_location_id, location_id
    ),

    profiled AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    causes.rank AS cause_rank,
    causes.thread AS cause_thread,
    victims.rank AS rank,
    victims.thread AS thread,
    coalesce(metrics.title, pairs.property) AS finding,
    pairs.is_extended,
    pairs.wait_ns::BIGINT AS wait_ns,
    pairs.main_ns / nullif(profiled.total_ns, 0) AS wait_ratio,
    pairs.wait_count,
    pairs.longest_ns
FROM pairs
CROSS JOIN profiled
LEFT JOIN metrics ON pairs.property = metrics.metric
INNER JOIN locations AS causes ON pairs.cause_location_id = causes.location_id
INNER JOIN locations AS victims ON pairs.location_id = victims.location_id
ORDER BY
    pairs.wait_ns DESC,
    pairs.property,
    pairs.cause_location_id,
    pairs.location_id,
    pairs.is_extended
LIMIT $row_limit::BIGINT
