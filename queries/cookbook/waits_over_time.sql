-- When in the run does waiting occur?
--
-- Grain:      one row per tenth of the run in which a wait begins
-- Inputs:     wait_states, runs
-- Output:     answer
-- Parameters: none
SELECT
    least(
        10 * (waits.start_ns - runs.begin_ns) // greatest(runs.end_ns - runs.begin_ns, 1), 9
    ) + 1 AS tenth,
    count(*) AS wait_count,
    sum(waits.wait_ns) / 1e9 AS wait_seconds
FROM wait_states AS waits
CROSS JOIN runs
WHERE NOT waits.is_completion
GROUP BY tenth
ORDER BY tenth
