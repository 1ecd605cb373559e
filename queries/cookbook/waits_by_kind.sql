-- Which wait states occur, how often, and how much time do they cost?
--
-- Grain:      one row per wait state
-- Inputs:     wait_states, metrics
-- Output:     answer
-- Parameters: none
SELECT
    metrics.title AS wait_state,
    count(*) AS wait_count,
    sum(waits.wait_ns) / 1e9 AS wait_seconds,
    max(waits.wait_ns) / 1e9 AS longest_seconds
FROM wait_states AS waits
INNER JOIN metrics ON waits.property = metrics.metric
GROUP BY waits.property, metrics.title
ORDER BY wait_seconds DESC, waits.property
