-- Begin, end and bytes of each location in each collective instance.
--
-- Grain:      one row per instance and location
-- Inputs:     collective_calls
-- Needs rows: collective_calls
-- Output:     collective_members
-- Parameters: none
-- Source:     the numbering of collective calls on their communicator
-- Assumes:    nothing
SELECT
    collective_id,
    location_id,
    side,
    comm_rank,
    visit_id,
    call_path_id,
    enter_ns,
    leave_ns,
    begin_ns,
    end_ns,
    bytes_sent,
    bytes_received,
    start_visit_id
FROM collective_calls
ORDER BY collective_id, location_id
