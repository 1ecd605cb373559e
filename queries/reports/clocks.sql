-- Contradictions between clocks, and what their correction changed.
--
-- Grain:      one row if clocks contradict each other or times were corrected
-- Inputs:     clock_violations, clock_quality, runs
-- Needs rows: clock_violations or clock_quality
-- Output:     report section trace quality
-- Parameters: none
WITH
    recorded AS (
        SELECT
            coalesce(sum(violation_count), 0)::BIGINT AS violation_count,
            max(largest_ns) AS largest_violation_ns
        FROM clock_violations
    )

SELECT
    recorded.violation_count,
    recorded.largest_violation_ns,
    clock_quality.jump_count,
    clock_quality.largest_jump_ns,
    clock_quality.moved_count,
    clock_quality.largest_move_ns,
    clock_quality.largest_move_ns / nullif(runs.end_ns - runs.begin_ns, 0) AS move_ratio,
    clock_quality.touched_ns,
    clock_quality.touched_ns / nullif(clock_quality.wait_ns, 0) AS touched_ratio
FROM recorded
CROSS JOIN runs
LEFT JOIN clock_quality ON TRUE
WHERE recorded.violation_count > 0 OR clock_quality.jump_count IS NOT NULL
ORDER BY ALL
