-- Computation, overload and underload have the same sum over call paths as over locations.
--
-- Grain:      one row per quantity whose sums differ
-- Inputs:     computational_imbalance, location_imbalance
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of both as sums of deviations from the same mean
-- Assumes:    nothing
WITH
    deviations AS (
        SELECT
            unnest(['computation', 'overload', 'underload', 'non-participation']) AS quantity,
            unnest([exclusive_ns, overload_ns, underload_ns, non_participation_ns])
                AS call_path_ns,
            0 AS location_ns
        FROM computational_imbalance
        UNION ALL
        SELECT
            unnest(['computation', 'overload', 'underload', 'non-participation']) AS quantity,
            0 AS call_path_ns,
            unnest([computation_ns, overload_ns, underload_ns, non_participation_ns])
                AS location_ns
        FROM location_imbalance
    )

SELECT
    quantity,
    sum(call_path_ns) AS call_path_ns,
    sum(location_ns) AS location_ns
FROM deviations
GROUP BY quantity
HAVING sum(call_path_ns) <> sum(location_ns)
ORDER BY quantity
