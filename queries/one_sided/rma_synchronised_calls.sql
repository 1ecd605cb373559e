-- Calls in which a process met the others of a window, or those that accessed its memory.
--
-- Each with the last one, until when it was awaited, and until when others still accessed the own
-- memory, which a fence and MPI_Win_wait expose:
--
--     rank 0   [ MPI_Win_fence ................]
--     rank 1        [ MPI_Put ]  [ MPI_Win_fence ]
--              |              |  |
--            start      accessed until
--                          until
--
-- In calls of all processes of a window nobody was awaited unless all were inside at the same time:
-- a fence that needs nobody is left before others come. Of several in one call the longest counts.
--
-- Grain:      one row per call and purpose that had to wait for others
-- Inputs:     rma_collectives, rma_epochs, rma_epoch_pairs, rma_accesses
-- Needs rows: rma_collectives or rma_epoch_pairs
-- Output:     rma_synchronised_calls
-- Parameters: none
-- Source:     MPI 4.0, sections 12.5.1 and 12.5.2
-- Assumes:    clocks synchronised; where they are not, MPI_Win_wait waits until its end, and
--             confidence is lower, as where the window has incomplete instances
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

    met AS (
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
FROM met
WHERE until_ns > start_ns
ORDER BY visit_id, purpose
