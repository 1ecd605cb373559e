-- Time of all locations together in each class of overhead.
--
-- Grain:      one row per class that took time
-- Inputs:     location_overheads, location_bases
-- Output:     overheads
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    nothing
WITH
    counted AS (SELECT count(*) AS location_count FROM location_bases)

SELECT
    spent.overhead_id,
    sum(spent.time_ns)::BIGINT AS time_ns,
    sum(spent.time_ns) / nullif(sum(sum(spent.time_ns)) OVER (), 0) AS time_ratio,
    ((sum(spent.time_ns) + counted.location_count // 2) // counted.location_count)::BIGINT
        AS mean_ns,
    max(spent.time_ns) AS longest_ns
FROM location_overheads AS spent
CROSS JOIN counted
GROUP BY spent.overhead_id, counted.location_count
ORDER BY spent.overhead_id
