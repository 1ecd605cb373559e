-- Our severities beside the expected ones. A cell that one side leaves out is zero there.
--
-- Grain:      one row per compared metric, call path, rank and thread that either side has
-- Inputs:     ours, expected, compared
-- Output:     cells
-- Parameters: none
-- Assumes:    regions of the same name are one region to people: paths are compared as text
WITH
    our_cells AS (
        SELECT metric, call_path, rank, thread, sum(value) AS value
        FROM ours
        GROUP BY ALL
    ),

    expected_cells AS (
        SELECT metric, call_path, rank, thread, sum(value) AS value, sum(rounding) AS rounding
        FROM expected
        GROUP BY ALL
    )

SELECT
    metric,
    call_path,
    rank,
    thread,
    compared.is_time,
    coalesce(our_cells.value, 0)::DOUBLE AS our_value,
    coalesce(expected_cells.value, 0)::DOUBLE AS expected_value,
    coalesce(expected_cells.rounding, 0)::DOUBLE AS rounding
FROM our_cells
FULL JOIN expected_cells USING (metric, call_path, rank, thread)
INNER JOIN compared USING (metric)
ORDER BY metric, call_path, rank, thread
