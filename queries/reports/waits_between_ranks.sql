-- Wait time between pairs of processes, over all wait states.
--
-- Grain:      one row per process that was waited for and process that waited
-- Inputs:     main_waits, locations
-- Output:     report section wait states
-- Parameters: $row_limit  maximum number of pairs, longest waits first (BIGINT)
SELECT
    causes.rank AS cause_rank,
    victims.rank AS rank,
    count(*) AS wait_count,
    sum(waits.wait_ns)::BIGINT AS wait_ns
FROM main_waits AS waits
INNER JOIN locations AS causes ON waits.cause_location_id = causes.location_id
INNER JOIN locations AS victims ON waits.location_id = victims.location_id
GROUP BY causes.rank, victims.rank
ORDER BY sum(waits.wait_ns) DESC, causes.rank, victims.rank
LIMIT $row_limit::BIGINT
