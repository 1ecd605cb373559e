-- Which collectives do ranks enter at the most different times?
--
-- Grain:      one row per instance, the 20 most skewed
-- Inputs:     collectives, collective_members
-- Output:     answer
-- Parameters: none
SELECT
    collectives.collective_id,
    collectives.operation,
    collectives.member_count,
    min(members.enter_ns) / 1e9 AS first_enter_seconds,
    (max(members.enter_ns) - min(members.enter_ns)) / 1e9 AS skew_seconds
FROM collectives
INNER JOIN collective_members AS members USING (collective_id)
GROUP BY collectives.collective_id, collectives.operation, collectives.member_count
ORDER BY skew_seconds DESC, collectives.collective_id
LIMIT 20
