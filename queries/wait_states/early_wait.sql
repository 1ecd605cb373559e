-- Early Wait: who exposes its memory is blocked until all that may access it have finished.
--
--     target   [ MPI_Win_wait .....................]
--     origin      [ MPI_Put ]       [ MPI_Win_complete ]
--              |── early ───|─ late ─|
--                  wait       complete
--
-- After the last operation on the own memory only MPI_Win_complete is missing: that part of an
-- early wait is a late complete.
--
-- Grain:      one row per visit and property that waited for the end of access epochs
-- Inputs:     rma_epochs, rma_epoch_pairs, rma_accesses
-- Needs rows: rma_epoch_pairs
-- Output:     early_wait
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_rma_early_wait "Early Wait": Time of a target in MPI_Win_wait until the last
--             process ends its access.
--             mpi_rma_late_complete "Late Complete", part of mpi_rma_early_wait: Early Wait after
--             the last access, while MPI_Win_complete is missing.
-- Source:     Scalasca pattern reference, "MPI Early Wait Time", "MPI Late Complete Time"
-- Assumes:    clocks synchronised; where they are not, a wait ends with its call
WITH
    completions AS (
        SELECT
            post_visit_id,
            max({
                'enter_ns': complete_enter_ns,
                'precedence': -complete_location_id,
                'location_id': complete_location_id,
                'visit_id': complete_visit_id
            }) AS completion
        FROM rma_epoch_pairs
        WHERE complete_visit_id IS NOT NULL
        GROUP BY post_visit_id
    ),

    accesses AS (
        SELECT
            rma_epoch_pairs.post_visit_id,
            max({
                'leave_ns': rma_accesses.leave_ns,
                'precedence': -rma_accesses.location_id,
                'location_id': rma_accesses.location_id,
                'visit_id': rma_accesses.visit_id
            }) AS access
        FROM rma_accesses
        INNER JOIN rma_epoch_pairs USING (start_visit_id, target_group_id)
        WHERE rma_accesses.target_group_id <> rma_accesses.location_group_id
        GROUP BY rma_epoch_pairs.post_visit_id
    ),

    waiting AS (
        SELECT
            epochs.end_location_id AS location_id,
            epochs.end_visit_id AS visit_id,
            epochs.end_call_path_id AS call_path_id,
            epochs.end_enter_ns AS enter_ns,
            least(completions.completion.enter_ns, epochs.end_leave_ns) AS completed_ns,
            greatest(
                enter_ns,
                least(coalesce(accesses.access.leave_ns, enter_ns), completed_ns)
            ) AS accessed_until_ns,
            completions.completion,
            accesses.access,
            completions.completion.enter_ns > epochs.end_leave_ns AS is_clock_violation
        FROM rma_epochs AS epochs
        INNER JOIN completions ON epochs.begin_visit_id = completions.post_visit_id
        LEFT JOIN accesses ON epochs.begin_visit_id = accesses.post_visit_id
        WHERE NOT epochs.is_tested AND epochs.end_visit_id IS NOT NULL
    ),

    parts AS (
        SELECT
            *,
            'mpi_rma_early_wait' AS property,
            enter_ns AS start_ns,
            accessed_until_ns AS until_ns,
            access.location_id AS cause_location_id,
            access.visit_id AS cause_visit_id
        FROM waiting
        UNION ALL
        SELECT
            *,
            'mpi_rma_late_complete' AS property,
            accessed_until_ns AS start_ns,
            completed_ns AS until_ns,
            completion.location_id AS cause_location_id,
            completion.visit_id AS cause_visit_id
        FROM waiting
    )

SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    until_ns - start_ns AS wait_ns,
    cause_location_id,
    cause_visit_id,
    NULL::BIGINT AS message_id,
    NULL::BIGINT AS collective_id,
    TRUE AS is_synchronisation,
    TRUE AS is_beyond_reference,
    if(is_clock_violation, 50, 100)::TINYINT AS confidence
FROM parts
WHERE until_ns > start_ns
ORDER BY visit_id, property
