-- The bins of the time profile sum to the time of every overhead class.
--
-- Grain:      one row per class whose sums differ
-- Inputs:     overheads, time_profile
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of a time profile
-- Assumes:    nothing
WITH
    binned AS (
        SELECT
            overhead_id,
            sum(time_ns)::BIGINT AS time_ns
        FROM time_profile
        GROUP BY overhead_id
    )

SELECT
    overhead_id,
    coalesce(overheads.time_ns, 0) AS time_ns,
    coalesce(binned.time_ns, 0) AS binned_ns
FROM overheads
FULL JOIN binned USING (overhead_id)
WHERE coalesce(overheads.time_ns, 0) <> coalesce(binned.time_ns, 0)
ORDER BY overhead_id
