-- Call paths and regions have the same exclusive time per overhead class as locations.
--
-- Classes that include time outside visits are left out, because that time has no call path and no
-- region.
--
-- Grain:      one row per class whose sums differ
-- Inputs:     location_overheads, overhead_classes, call_path_overheads, region_overheads
-- Output:     offending rows
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    nothing
WITH
    by_location AS (
        SELECT
            overhead_id,
            sum(time_ns)::BIGINT AS time_ns
        FROM location_overheads
        GROUP BY overhead_id
    ),

    by_call_path AS (
        SELECT
            overhead_id,
            sum(exclusive_ns)::BIGINT AS exclusive_ns
        FROM call_path_overheads
        GROUP BY overhead_id
    ),

    by_region AS (
        SELECT
            overhead_id,
            sum(exclusive_ns)::BIGINT AS exclusive_ns
        FROM region_overheads
        GROUP BY overhead_id
    )

SELECT
    overhead_id,
    coalesce(by_location.time_ns, 0) AS time_ns,
    coalesce(by_call_path.exclusive_ns, 0) AS call_path_ns,
    coalesce(by_region.exclusive_ns, 0) AS region_ns
FROM overhead_classes
LEFT JOIN by_location USING (overhead_id)
LEFT JOIN by_call_path USING (overhead_id)
LEFT JOIN by_region USING (overhead_id)
WHERE
    overhead_classes.overhead_subclass NOT IN ('idle threads', 'outside visits')
    AND (
        coalesce(by_location.time_ns, 0) <> coalesce(by_call_path.exclusive_ns, 0)
        OR coalesce(by_location.time_ns, 0) <> coalesce(by_region.exclusive_ns, 0)
    )
ORDER BY overhead_id
