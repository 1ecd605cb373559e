-- Collective calls of all processes of a run, for making a described program of it.
--
-- Grain:      one row per collective instance and process
-- Inputs:     collectives, collective_members, communicator_members, locations, visits
-- Output:     calls of a program
-- Parameters: none
-- Assumes:    one thread of each process communicates
WITH
    roots AS (
        SELECT
            members.communicator_id,
            members.side,
            members.comm_rank,
            locations.rank
        FROM communicator_members AS members
        INNER JOIN locations USING (location_id)
    )

SELECT
    collectives.collective_id,
    locations.rank,
    collectives.operation,
    coalesce(roots.rank, collectives.root_rank, 0)::INTEGER AS root,
    collectives.expected_count,
    collectives.is_complete,
    collectives.is_neighborhood,
    collectives.communicator_id,
    coalesce(starts.call_path_id, members.call_path_id, -1)::INTEGER AS call_path_id,
    coalesce(members.enter_ns, members.begin_ns) AS enter_ns,
    coalesce(members.visit_id, -1) AS visit_id,
    starts.leave_ns AS start_ns,
    starts.visit_id AS start_visit_id,
    members.bytes_sent,
    members.bytes_received
FROM collectives
INNER JOIN collective_members AS members USING (collective_id)
INNER JOIN locations ON members.location_id = locations.location_id
LEFT JOIN roots
    ON
        collectives.communicator_id = roots.communicator_id
        AND collectives.root_side = roots.side
        AND collectives.root_rank = roots.comm_rank
LEFT JOIN visits AS starts ON members.start_visit_id = starts.visit_id
WHERE
    collectives.expected_count > 1
    AND collectives.operation NOT IN (
        'create_handle', 'destroy_handle', 'allocate', 'deallocate', 'create_handle_and_allocate',
        'destroy_handle_and_deallocate'
    )
ORDER BY collectives.collective_id, locations.rank
