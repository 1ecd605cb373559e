-- Records of one-sided communication in MPI calls, with the processes involved.
--
-- Grain:      one row per record in an MPI call with a window of its process
-- Inputs:     rma_operations, rma_windows, process_ranks, communicator_members, locations,
--             mpi_call_paths
-- Needs rows: rma_operations
-- Output:     rma_calls
-- Parameters: none
-- Source:     MPI 4.0, chapter 12: ranks refer to the group of the window
-- Assumes:    nothing
WITH
    members AS (
        SELECT
            rma_windows.rma_window_id,
            process_ranks.location_group_id,
            process_ranks.comm_rank
        FROM rma_windows
        INNER JOIN process_ranks USING (communicator_id)
        WHERE process_ranks.side = 0
    ),

    ranks AS (
        SELECT
            rma_windows.rma_window_id,
            communicator_members.comm_rank AS target_rank,
            communicator_members.location_group_id AS target_group_id
        FROM rma_windows
        INNER JOIN communicator_members USING (communicator_id)
        WHERE communicator_members.side = 0
    )

SELECT
    operations.location_id,
    operations.sequence,
    operations.time_ns,
    operations.kind,
    calls.call,
    operations.visit_id,
    operations.call_path_id,
    operations.enter_ns,
    operations.leave_ns,
    operations.begin_ns,
    operations.rma_window_id,
    locations.location_group_id,
    members.comm_rank,
    row_number() OVER (
        PARTITION BY locations.location_group_id
        ORDER BY operations.time_ns, operations.location_id, operations.sequence
    ) AS position,
    operations.remote_rank AS target_rank,
    ranks.target_group_id,
    operations.rma_group_id,
    operations.operation,
    operations.matching_id,
    operations.detail
FROM rma_operations AS operations
INNER JOIN locations USING (location_id)
INNER JOIN mpi_call_paths AS calls USING (call_path_id)
INNER JOIN members
    ON
        operations.rma_window_id = members.rma_window_id
        AND locations.location_group_id = members.location_group_id
LEFT JOIN ranks
    ON
        operations.rma_window_id = ranks.rma_window_id
        AND operations.remote_rank = ranks.target_rank
