-- Epochs of general active target synchronization.
--
--     origin   [ MPI_Win_start ] put get … [ MPI_Win_complete ]     an access epoch
--     target   [ MPI_Win_post ]            [ MPI_Win_wait ]         an exposure epoch
--
-- A process has at most one access epoch and one exposure epoch per window at a time. An end
-- without a begin is left out; a begin followed by another begin has no end.
--
-- Grain:      one row per epoch that was begun
-- Inputs:     rma_calls
-- Needs rows: rma_calls
-- Output:     rma_epochs
-- Parameters: none
-- Source:     MPI 4.0, section 12.5.2
-- Assumes:    nothing
WITH
    -- MPI_Win_test without success does not synchronize; its level is 0.
    marks AS (
        SELECT
            *,
            call IN ('mpi_win_start', 'mpi_win_post') AS is_begin,
            if(call IN ('mpi_win_start', 'mpi_win_complete'), 'access', 'exposure') AS role
        FROM rma_calls
        WHERE
            kind = 'group_sync'
            AND (
                call IN ('mpi_win_start', 'mpi_win_complete', 'mpi_win_post', 'mpi_win_wait')
                OR (call = 'mpi_win_test' AND detail <> 0)
            )
        -- Each call begins or ends one epoch.
        QUALIFY row_number() OVER (PARTITION BY visit_id ORDER BY position) = 1
    ),

    followed AS (
        SELECT
            *,
            lead({
                'is_begin': is_begin,
                'location_id': location_id,
                'position': position,
                'visit_id': visit_id,
                'call_path_id': call_path_id,
                'enter_ns': enter_ns,
                'leave_ns': leave_ns,
                'is_tested': call = 'mpi_win_test'
            }) OVER (PARTITION BY role, rma_window_id, location_group_id ORDER BY position)
                AS next_mark
        FROM marks
    ),

    ended AS (
        SELECT
            *,
            if(next_mark.is_begin, NULL, next_mark) AS end_mark
        FROM followed
        WHERE is_begin
    )

SELECT
    role,
    rma_window_id,
    location_group_id,
    rma_group_id,
    location_id AS begin_location_id,
    position AS begin_position,
    visit_id AS begin_visit_id,
    call_path_id AS begin_call_path_id,
    enter_ns AS begin_enter_ns,
    leave_ns AS begin_leave_ns,
    end_mark.location_id AS end_location_id,
    end_mark.position AS end_position,
    end_mark.visit_id AS end_visit_id,
    end_mark.call_path_id AS end_call_path_id,
    end_mark.enter_ns AS end_enter_ns,
    end_mark.leave_ns AS end_leave_ns,
    coalesce(end_mark.is_tested, FALSE) AS is_tested
FROM ended
