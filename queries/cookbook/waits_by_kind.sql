-- Which wait states occur, how often, and how much time do they cost?
--
-- Grain:      one row per wait state
-- Inputs:     waits, metrics
-- Output:     answer
-- Parameters: none
SELECT
    metrics.title AS wait_state,
    count(*) AS wait_count,
    sum(waits.wait_ns) / 1e9 AS wait_seconds,
    max(waits.wait_ns) / 1e9 AS longest_seconds
FROM waits
INNER JOIN metrics ON waits.kind = metrics.metric
GROUP BY waits.kind, metrics.title
ORDER BY wait_seconds DESC, waits.kind
