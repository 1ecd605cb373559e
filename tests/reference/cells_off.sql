-- Cells that differ from what is expected by more than the tolerance; empty means good.
--
-- Grain:      one row per cell outside the tolerance
-- Inputs:     cells
-- Output:     cells off
-- Parameters: $tolerance_s     seconds a time may differ by (DOUBLE)
--             $tolerance_ratio share of the expected value a time may differ by (DOUBLE)
-- Assumes:    counts and bytes are whole numbers, which DOUBLE holds exactly
SELECT
    metric,
    call_path,
    rank,
    thread,
    our_value,
    expected_value
FROM cells
WHERE
    CASE
        WHEN is_time
            THEN abs(our_value - expected_value)
                > greatest($tolerance_s::DOUBLE, $tolerance_ratio::DOUBLE * abs(expected_value))
                + rounding
        ELSE our_value <> expected_value
    END
ORDER BY is_time DESC, abs(our_value - expected_value) DESC, metric, call_path, rank, thread
