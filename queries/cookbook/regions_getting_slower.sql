-- Which functions take longer in the second half of their visits than in the first half, on the
-- same thread?
--
-- Grain:      one row per region that a location visits more than once
-- Inputs:     visits, regions
-- Output:     answer
-- Parameters: none
WITH
    ranked AS (
        SELECT
            region_id,
            leave_ns - enter_ns AS duration_ns,
            ntile(2) OVER (
                PARTITION BY region_id, location_id ORDER BY enter_ns, visit_id
            ) AS half
        FROM visits
    )

SELECT
    regions.name AS region,
    count(*) AS visit_count,
    avg(ranked.duration_ns) FILTER (ranked.half = 1) / 1e9 AS first_half_seconds,
    avg(ranked.duration_ns) FILTER (ranked.half = 2) / 1e9 AS second_half_seconds
FROM ranked
INNER JOIN regions USING (region_id)
GROUP BY regions.region_id, regions.name
HAVING count_if(ranked.half = 2) > 0
ORDER BY second_half_seconds - first_half_seconds DESC, regions.region_id
