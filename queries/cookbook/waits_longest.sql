-- Which single waits are the longest, and which rank caused them?
--
-- Grain:      one row per wait, the 20 longest
-- Inputs:     wait_states, call_paths, locations
-- Output:     answer
-- Parameters: none
SELECT
    waits.property,
    victims.rank,
    victims.thread,
    call_paths.path AS call_path,
    waits.start_ns / 1e9 AS start_seconds,
    waits.wait_ns / 1e9 AS wait_seconds,
    causes.rank AS cause_rank,
    causes.thread AS cause_thread
FROM wait_states AS waits
INNER JOIN call_paths USING (call_path_id)
INNER JOIN locations AS victims ON waits.location_id = victims.location_id
LEFT JOIN locations AS causes ON waits.cause_location_id = causes.location_id
WHERE NOT waits.is_completion
ORDER BY waits.wait_ns DESC, waits.location_id, waits.visit_id, waits.property
LIMIT 20
