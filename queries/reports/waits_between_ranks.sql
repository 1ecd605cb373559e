-- Wait time between pairs of processes, over all wait states.
--
-- Grain:      one row per process that was waited for and process that waited
-- Inputs:     wait_states, locations
-- Output:     report section wait states
-- Parameters: $row_limit  maximum number of pairs, longest waits first (BIGINT)
SELECT
    causes.rank AS cause_rank,
    victims.rank AS rank,
    count(*) AS wait_count,
    sum(wait_states.wait_ns)::BIGINT AS wait_ns
FROM wait_states
INNER JOIN locations AS causes ON wait_states.cause_location_id = causes.location_id
INNER JOIN locations AS victims ON wait_states.location_id = victims.location_id
WHERE NOT wait_states.is_completion
GROUP BY causes.rank, victims.rank
ORDER BY sum(wait_states.wait_ns) DESC, causes.rank, victims.rank
LIMIT $row_limit::BIGINT
