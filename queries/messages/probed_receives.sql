-- Receives of messages that a matched probe (MPI_Mprobe, MPI_Improbe) picked before.
--
-- The probe has the sender, communicator and tag, and takes the message off its channel; the
-- receive only refers to the probe:
--
--     probe 3 (from 1, tag 5)   imrecv_request (probe 3, request 8)   imrecv (request 8, bytes)
--     place on the channel      post                                  completion
--
-- Grain:      one row per completed receive of a probed message
-- Inputs:     mpi_operations, locations
-- Needs rows: mpi_operations
-- Output:     probed_receives
-- Parameters: none
-- Source:     MPI 4.0, section 3.8.2; OTF2 3.1, records MpiProbe, MpiMrecv and MpiImrecv
-- Assumes:    probe ids are unique in a process until the message is received
WITH
    request_records AS (
        SELECT
            *,
            lag({
                'kind': kind,
                'probe_id': probe_id,
                'time_ns': time_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns
            }) OVER (PARTITION BY location_id, request_id ORDER BY sequence) AS last_record
        FROM mpi_operations
        WHERE kind IN ('imrecv_request', 'imrecv')
    ),

    picked AS (
        SELECT
            *,
            {
                'kind': kind,
                'probe_id': probe_id,
                'time_ns': time_ns,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns
            } AS post
        FROM mpi_operations
        WHERE kind = 'mrecv'
        UNION ALL
        SELECT
            * EXCLUDE (last_record),
            last_record AS post
        FROM request_records
        WHERE kind = 'imrecv' AND last_record.kind = 'imrecv_request'
    ),

    probes AS (
        SELECT
            mpi_operations.*,
            locations.location_group_id
        FROM mpi_operations
        INNER JOIN locations USING (location_id)
        WHERE mpi_operations.kind = 'probe' AND mpi_operations.probe_id IS NOT NULL
    )

SELECT
    probes.communicator_id,
    probes.peer_group_id AS sender_group_id,
    probes.tag,
    probes.time_ns AS channel_ns,
    probes.sequence AS channel_sequence,
    picked.location_id AS receiver_location_id,
    picked.bytes,
    picked.time_ns AS receive_ns,
    picked.sequence AS receive_sequence,
    picked.post.time_ns AS receive_post_ns,
    picked.post.visit_id AS receive_post_visit_id,
    picked.post.call_path_id AS receive_post_call_path_id,
    picked.post.enter_ns AS receive_post_enter_ns,
    picked.post.leave_ns AS receive_post_leave_ns,
    picked.visit_id AS receive_completion_visit_id,
    picked.call_path_id AS receive_completion_call_path_id,
    picked.enter_ns AS receive_completion_enter_ns,
    picked.leave_ns AS receive_completion_leave_ns
FROM picked
INNER JOIN locations USING (location_id)
ASOF INNER JOIN probes
    ON
        locations.location_group_id = probes.location_group_id
        AND picked.post.probe_id = probes.probe_id
        AND picked.post.time_ns >= probes.time_ns
WHERE probes.communicator_id IS NOT NULL AND probes.peer_group_id IS NOT NULL
ORDER BY receiver_location_id, receive_sequence
