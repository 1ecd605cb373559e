-- Which collective operations are used, how much data do they send, and how much time do they take?
--
-- Grain:      one row per operation
-- Inputs:     collectives, collective_members
-- Output:     answer
-- Parameters: none
SELECT
    collectives.operation,
    count(DISTINCT collectives.collective_id) AS instance_count,
    count(*) AS call_count,
    sum(members.bytes_sent)::BIGINT AS bytes_sent,
    sum(members.leave_ns - members.enter_ns) / 1e9 AS seconds,
    max(members.leave_ns - members.enter_ns) / 1e9 AS longest_seconds
FROM collectives
INNER JOIN collective_members AS members USING (collective_id)
GROUP BY collectives.operation
ORDER BY seconds DESC, collectives.operation
