-- Wait for progress: a one-sided operation, or a call that completes some, ends only when the
-- target process enters MPI.
--
--     origin   [ MPI_Win_flush ...............]
--     target      computing         [ MPI_… ]       computing      [ MPI_… ]
--              |────── wait ────────|
--
-- The trace has no record of this, so the conditions are strict: the target is outside MPI when the
-- call begins; it enters MPI exactly once before the call ends; and the rest of the call is not
-- longer than the wait. Of several targets, the one that enters MPI last counts. Calls that another
-- one-sided wait state explains do not count.
--
-- Grain:      one row per visit that waited for a target to enter MPI
-- Inputs:     rma_calls, visits, locations, mpi_calls, late_post, rma_lock_competition
-- Needs rows: rma_calls
-- Output:     wait_for_progress
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_rma_wait_for_progress
-- Source:     MPI 4.0, section 12.7.3: progress may need the target to call MPI
-- Assumes:    clocks are synchronized
WITH
    -- A completion belongs to the last operation of its request, because several operations on one
    -- target may share a request.
    identified AS (
        SELECT
            *,
            kind IN ('put', 'get', 'atomic') AS is_operation,
            last_value(if(is_operation, target_group_id, NULL) IGNORE NULLS) OVER (
                PARTITION BY location_group_id, rma_window_id, matching_id ORDER BY position
            ) AS last_target_group_id
        FROM rma_calls
        WHERE
            kind IN (
                'put', 'get', 'atomic',
                'complete_blocking', 'complete_nonblocking', 'complete_remote'
            )
    ),

    needed AS (
        SELECT
            location_id,
            visit_id,
            call_path_id,
            enter_ns,
            leave_ns,
            location_group_id,
            last_target_group_id AS target_group_id
        FROM identified
        WHERE is_operation OR regexp_matches(call, '^mpi_win_(flush|unlock|complete)')
        UNION
        SELECT
            location_id,
            visit_id,
            call_path_id,
            enter_ns,
            leave_ns,
            location_group_id,
            target_group_id
        FROM rma_calls
        WHERE kind = 'release_lock'
    ),

    remote AS (
        SELECT *
        FROM needed
        ANTI JOIN late_post USING (visit_id)
        ANTI JOIN rma_lock_competition USING (visit_id)
        WHERE needed.target_group_id <> needed.location_group_id
    ),

    -- MPI calls of the target processes. With several threads they may overlap.
    entries AS (
        SELECT
            locations.location_group_id,
            visits.enter_ns,
            min({'location_id': visits.location_id, 'visit_id': visits.visit_id}) AS call,
            max(visits.leave_ns) AS leave_ns
        FROM visits
        INNER JOIN mpi_calls USING (region_id)
        INNER JOIN locations USING (location_id)
        SEMI JOIN remote ON locations.location_group_id = remote.target_group_id
        GROUP BY ALL
    ),

    stays AS (
        SELECT
            *,
            max(leave_ns) OVER (
                PARTITION BY location_group_id
                ORDER BY enter_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS left_ns,
            lead(enter_ns) OVER (PARTITION BY location_group_id ORDER BY enter_ns)
                AS next_enter_ns
        FROM entries
    ),

    awaited AS (
        SELECT
            remote.*,
            arrivals.enter_ns AS arrival_ns,
            arrivals.call
        FROM remote
        ASOF INNER JOIN stays AS arrivals
            ON
                remote.target_group_id = arrivals.location_group_id
                AND remote.enter_ns < arrivals.enter_ns
        WHERE
            coalesce(arrivals.left_ns <= remote.enter_ns, TRUE)
            AND arrivals.enter_ns < remote.leave_ns
            AND coalesce(arrivals.next_enter_ns >= remote.leave_ns, TRUE)
            AND remote.leave_ns - arrivals.enter_ns <= arrivals.enter_ns - remote.enter_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY remote.visit_id ORDER BY arrivals.enter_ns DESC, arrivals.call
            ) = 1
    )

SELECT
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    arrival_ns - enter_ns AS wait_ns,
    call.location_id AS cause_location_id,
    call.visit_id AS cause_visit_id,
    TRUE AS is_extended,
    50 AS confidence
FROM awaited
