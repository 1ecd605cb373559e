-- No class of overhead loses more time to computing call paths than locations spend in it.
--
-- A loss is rounded to nanoseconds in each row. Time between a fork and the parallel region counts
-- as computation here; computation itself is never lost.
--
-- Grain:      one row per class with too much lost time
-- Inputs:     parallelism_losses, location_overheads, overhead_classes
-- Output:     offending rows
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH
    lost AS (
        SELECT
            overhead_id,
            sum(alone_ns + with_others_ns)::BIGINT AS lost_ns,
            count(*) AS row_count
        FROM parallelism_losses
        GROUP BY overhead_id
    ),

    spent AS (
        SELECT
            overhead_id,
            sum(time_ns)::BIGINT AS time_ns
        FROM location_overheads
        GROUP BY overhead_id
    )

SELECT
    overhead_id,
    lost.lost_ns,
    coalesce(spent.time_ns, 0) AS time_ns
FROM lost
INNER JOIN overhead_classes USING (overhead_id)
LEFT JOIN spent USING (overhead_id)
WHERE
    overhead_classes.overhead_class = 'computation'
    OR lost.lost_ns > coalesce(spent.time_ns, 0) + lost.row_count
ORDER BY overhead_id
