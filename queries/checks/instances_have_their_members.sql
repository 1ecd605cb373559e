-- Every collective instance has as many members as it counts, and none twice.
--
-- Grain:      one row per instance whose counts differ
-- Inputs:     collectives, collective_members
-- Output:     offending rows
-- Parameters: none
-- Source:     the definition of a collective instance
-- Assumes:    nothing
WITH
    counted AS (
        SELECT
            collective_id,
            count(*) AS row_count,
            count(DISTINCT location_id) AS location_count
        FROM collective_members
        GROUP BY collective_id
    )

SELECT
    collective_id,
    collectives.member_count,
    counted.row_count,
    counted.location_count
FROM collectives
FULL JOIN counted USING (collective_id)
WHERE
    collectives.member_count IS DISTINCT FROM counted.row_count
    OR collectives.member_count IS DISTINCT FROM counted.location_count
ORDER BY collective_id
