-- Calls in which a process synchronized with the other processes of a window, or with those that
-- accessed its memory.
--
-- Each call has the process that was awaited last, the end of the wait, and the time until which
-- others accessed the process's own memory (which a fence and MPI_Win_wait expose):
--
--     rank 0   [ MPI_Win_fence ................]
--     rank 1        [ MPI_Put ]  [ MPI_Win_fence ]
--              |              |  |
--            start      accessed until
--                          until
--
-- In collective window calls, processes only wait if all were inside at the same time: a fence that
-- does not have to wait is left before the others enter. Of several synchronizations in one call,
-- the longest one counts.
--
-- Grain:      one row per call and purpose that had to wait for others
-- Inputs:     rma_collectives, rma_epochs, rma_epoch_pairs, rma_accesses
-- Needs rows: rma_collectives or rma_epoch_pairs
-- Output:     rma_synchronized_calls
-- Parameters: none
-- Source:     MPI 4.0, sections 12.5.1 and 12.5.2
-- Assumes:    clocks are synchronized; where they are not, MPI_Win_wait waits until its end;
--             confidence is lower there and where the window has incomplete instances
WITH
    accesses AS (
        SELECT
            *,
            {
                'leave_ns': leave_ns,
                'precedence': -location_id,
                'location_id': location_id,
                'visit_id': visit_id
            } AS access
        FROM rma_accesses
        WHERE target_group_id <> location_group_id
    ),

    accesses_before_fences AS (
        SELECT
            rma_window_id,
            fence_ordinal AS ordinal,
            target_group_id AS location_group_id,
            max(access) AS last_access
        FROM accesses
        WHERE fence_ordinal IS NOT NULL
        GROUP BY ALL
    ),

    accesses_in_epochs AS (
        SELECT
            rma_epoch_pairs.post_visit_id,
            max(accesses.access) AS last_access
        FROM accesses
        INNER JOIN rma_epoch_pairs USING (start_visit_id, target_group_id)
        GROUP BY rma_epoch_pairs.post_visit_id
    ),

    completions AS (
        SELECT
            post_visit_id,
            max({
                'enter_ns': complete_enter_ns,
                'precedence': -complete_location_id,
                'location_id': complete_location_id,
                'visit_id': complete_visit_id
            }) AS last_one
        FROM rma_epoch_pairs
        WHERE complete_visit_id IS NOT NULL
        GROUP BY post_visit_id
    ),

    synchronizing AS (
        SELECT
            members.purpose::VARCHAR AS purpose,
            members.location_id,
            members.visit_id,
            members.call_path_id,
            members.begin_ns AS start_ns,
            members.last_begin_ns AS until_ns,
            if(members.purpose = 'fence', before.last_access, NULL) AS last_access,
            members.last_location_id,
            members.last_visit_id,
            if(members.is_doubtful, 75, 100) AS confidence
        FROM rma_collectives AS members
        LEFT JOIN accesses_before_fences AS before
            USING (rma_window_id, ordinal, location_group_id)
        WHERE members.is_together
        QUALIFY
            row_number() OVER (
                PARTITION BY members.visit_id ORDER BY until_ns - start_ns DESC, members.ordinal
            ) = 1
        UNION ALL
        SELECT
            'wait' AS purpose,
            epochs.end_location_id AS location_id,
            epochs.end_visit_id AS visit_id,
            epochs.end_call_path_id AS call_path_id,
            epochs.end_enter_ns AS start_ns,
            least(completions.last_one.enter_ns, epochs.end_leave_ns) AS until_ns,
            accesses_in_epochs.last_access,
            completions.last_one.location_id AS last_location_id,
            completions.last_one.visit_id AS last_visit_id,
            if(completions.last_one.enter_ns > epochs.end_leave_ns, 50, 100) AS confidence
        FROM rma_epochs AS epochs
        INNER JOIN completions ON epochs.begin_visit_id = completions.post_visit_id
        LEFT JOIN accesses_in_epochs ON epochs.begin_visit_id = accesses_in_epochs.post_visit_id
        WHERE NOT epochs.is_tested AND epochs.end_visit_id IS NOT NULL
    )

SELECT
    purpose,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    greatest(start_ns, least(coalesce(last_access.leave_ns, start_ns), until_ns))
        AS accessed_until_ns,
    until_ns,
    last_access.location_id AS access_location_id,
    last_access.visit_id AS access_visit_id,
    last_location_id,
    last_visit_id,
    confidence::TINYINT AS confidence
FROM synchronizing
WHERE until_ns > start_ns
