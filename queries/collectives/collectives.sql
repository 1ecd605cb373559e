-- Collective instances: the n-th collective of a communicator, over its members.
--
-- If members disagree, the record of the lowest rank is used and the instance is marked incomplete.
-- On an inter-communicator, the side without the root records the root's rank.
--
-- Grain:      one row per instance
-- Inputs:     collective_calls, communicators
-- Needs rows: collective_calls
-- Output:     collectives
-- Parameters: none
-- Source:     the numbering of collective calls on their communicator
-- Assumes:    nothing
WITH
    instances AS (
        SELECT
            collective_id,
            communicator_id,
            ordinal,
            min({
                'rank': coalesce(comm_rank, 2147483647),
                'location_id': location_id,
                'operation': operation,
                'root_rank': root_rank
            }) AS first_member,
            max({'rank': root_rank, 'side': 1 - side}) FILTER (WHERE root_rank IS NOT NULL)
                AS remote_root,
            bool_or(is_nonblocking) AS is_nonblocking,
            bool_or(is_neighborhood) AS is_neighborhood,
            count(DISTINCT operation) = 1
            AND bool_and(operation IS NOT NULL) AS is_one_operation,
            count(DISTINCT root_rank) + bool_or(root_rank IS NULL)::BIGINT = 1 AS is_one_root,
            count(*) AS member_count,
            count(comm_rank) AS known_member_count,
            min(begin_ns) AS begin_ns,
            max(end_ns) AS end_ns
        FROM collective_calls
        GROUP BY collective_id, communicator_id, ordinal
    ),

    described AS (
        SELECT
            instances.*,
            communicators.kind = 'inter' AS is_inter,
            if(communicators.kind = 'self', 1, communicators.size) AS expected_count
        FROM instances
        INNER JOIN communicators USING (communicator_id)
    )

SELECT
    collective_id,
    communicator_id,
    ordinal,
    first_member.operation,
    if(is_inter, remote_root.side, if(first_member.root_rank IS NULL, NULL, 0))::TINYINT
        AS root_side,
    if(is_inter, remote_root.rank, first_member.root_rank) AS root_rank,
    is_nonblocking,
    is_neighborhood,
    expected_count,
    member_count::INTEGER AS member_count,
    begin_ns,
    end_ns,
    known_member_count = expected_count
    AND member_count = expected_count
    AND is_one_operation
    AND (is_one_root OR is_inter) AS is_complete
FROM described
ORDER BY collective_id
