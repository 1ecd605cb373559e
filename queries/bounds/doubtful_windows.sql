-- RMA windows of which records are missing or clocks disagree, and which calls that concerns.
--
--     a call in which nothing is recorded         all calls on windows of its process
--     an access in which nothing is recorded,     what depends on accesses; one to nobody
--     or whose target is not known                (MPI_PROC_NULL) looks the same
--     half an epoch, a collective that is not     all calls on the window
--     whole, without a process that ends early
--     a process that ends early                   calls from its end on, and before it those of
--                                                 epochs and collectives that are not whole
--     a process switched off                      calls meanwhile, and epochs of locks
--     a process whose clock contradicts others    all calls on its windows
--
-- Grain:      one row per window, process, reason and whether it is about accesses alone
-- Inputs:     disturbed_processes, clock_offsets, rma_calls, rma_collectives, rma_epochs,
--             rma_epoch_pairs, rma_group_members, rma_lock_epochs, rma_windows,
--             communicator_members, locations, visits, mpi_calls
-- Needs rows: rma_calls
-- Output:     doubtful_windows
-- Parameters: none
-- Source:     what each relation of one-sided communication is told from
-- Assumes:    of two processes not the same number of epochs, or of collective calls, is missing;
--             Score-P and its like leave in each call the record that it is named after;
--             completions of operations are recorded: a call that has none completed none
WITH
    ending AS (SELECT location_group_id FROM disturbed_processes WHERE is_ending),

    members AS (
        SELECT DISTINCT
            rma_windows.rma_window_id,
            communicator_members.location_group_id,
            communicator_members.location_group_id IN (FROM ending) AS is_ending
        FROM rma_windows
        INNER JOIN communicator_members USING (communicator_id)
        WHERE communicator_members.location_group_id IS NOT NULL
    ),

    sizes AS (
        SELECT
            rma_window_id,
            count(*) AS member_count,
            count(*) FILTER (WHERE NOT is_ending) AS lasting_count
        FROM members
        GROUP BY rma_window_id
    ),

    needs AS (
        SELECT
            region_id,
            CASE
                WHEN one_sided_role IN ('create', 'free', 'fence') THEN 'collective'
                WHEN one_sided_role IN ('start', 'complete', 'post', 'wait') THEN 'group_sync'
                ELSE one_sided_role::VARCHAR
            END AS needed
        FROM mpi_calls
        WHERE one_sided_role <> 'flush'
    ),

    recorded AS (
        SELECT DISTINCT
            visit_id,
            CASE
                WHEN kind IN ('request_lock', 'acquire_lock') THEN 'lock'
                WHEN kind = 'release_lock' THEN 'unlock'
                WHEN kind NOT IN ('put', 'get', 'atomic') THEN kind::VARCHAR
                WHEN target_group_id IS NOT NULL THEN 'access'
            END AS needed
        FROM rma_calls
    ),

    silent_calls AS (
        SELECT
            locations.location_group_id,
            needs.needed = 'access' AS is_of_accesses
        FROM visits
        INNER JOIN needs USING (region_id)
        INNER JOIN locations USING (location_id)
        ANTI JOIN recorded
            ON visits.visit_id = recorded.visit_id AND needs.needed = recorded.needed
        WHERE visits.is_closed OR locations.location_group_id NOT IN (FROM ending)
        GROUP BY ALL
    ),

    -- Beginnings without an end, and the other way round.
    whole_calls AS (
        SELECT unnest([begin_visit_id, end_visit_id]) AS visit_id
        FROM rma_epochs
        WHERE end_visit_id IS NOT NULL
        UNION ALL
        SELECT unnest([lock_visit_id, unlock_visit_id])
        FROM rma_lock_epochs
    ),

    halves AS (
        SELECT rma_window_id, location_group_id, enter_ns
        FROM rma_calls
        ANTI JOIN whole_calls USING (visit_id)
        WHERE
            (kind = 'group_sync' AND call <> 'mpi_win_test')
            OR kind IN ('request_lock', 'acquire_lock', 'release_lock')
    ),

    named AS (
        SELECT DISTINCT
            epochs.rma_window_id,
            epochs.location_group_id,
            epochs.begin_visit_id,
            epochs.begin_enter_ns,
            partners.location_group_id AS partner_group_id
        FROM rma_epochs AS epochs
        LEFT JOIN rma_group_members AS partners USING (rma_group_id)
        WHERE epochs.rma_group_id IS NULL OR partners.rma_group_id IS NOT NULL
    ),

    paired AS (
        SELECT start_visit_id AS begin_visit_id, target_group_id AS partner_group_id
        FROM rma_epoch_pairs
        UNION ALL
        SELECT pairs.post_visit_id, starts.location_group_id
        FROM rma_epoch_pairs AS pairs
        INNER JOIN rma_epochs AS starts ON pairs.start_visit_id = starts.begin_visit_id
        WHERE pairs.complete_visit_id IS NOT NULL
    ),

    lonely_epochs AS (
        SELECT named.*
        FROM named
        ANTI JOIN paired USING (begin_visit_id, partner_group_id)
    ),

    broken_instances AS (
        SELECT
            instances.rma_window_id,
            instances.ordinal,
            count(*) AS member_count,
            count(*) FILTER (WHERE NOT members.is_ending) AS lasting_count
        FROM rma_collectives AS instances
        INNER JOIN members USING (rma_window_id, location_group_id)
        WHERE NOT instances.is_complete
        GROUP BY instances.rma_window_id, instances.ordinal
    ),

    -- Those whose gaps no process explains that ends early.
    broken_windows AS (
        SELECT rma_window_id
        FROM halves
        WHERE location_group_id NOT IN (FROM ending)
        UNION
        SELECT rma_window_id
        FROM lonely_epochs
        WHERE coalesce(partner_group_id NOT IN (FROM ending), TRUE)
        UNION
        SELECT broken_instances.rma_window_id
        FROM broken_instances
        INNER JOIN sizes USING (rma_window_id)
        WHERE
            broken_instances.member_count = sizes.member_count
            OR broken_instances.lasting_count < sizes.lasting_count
    ),

    losses AS (
        SELECT
            rma_window_id,
            'incomplete_records' AS reason,
            FALSE AS is_of_accesses,
            NULL::BIGINT AS since_ns,
            NULL::BIGINT AS until_ns
        FROM broken_windows
        UNION ALL
        SELECT members.rma_window_id, 'incomplete_records', silent_calls.is_of_accesses, NULL, NULL
        FROM silent_calls
        INNER JOIN members USING (location_group_id)
        UNION ALL
        SELECT
            members.rma_window_id,
            disturbed.reason::VARCHAR,
            FALSE,
            if(
                disturbed.reason = 'missing_records' AND NOT disturbed.is_ending,
                NULL, disturbed.since_ns
            ),
            disturbed.until_ns
        FROM disturbed_processes AS disturbed
        INNER JOIN members USING (location_group_id)
        UNION ALL
        SELECT members.rma_window_id, 'clock_violation', FALSE, NULL, NULL
        FROM clock_offsets
        INNER JOIN locations USING (location_id)
        INNER JOIN members USING (location_group_id)
        WHERE clock_offsets.is_doubtful
    ),

    windows AS (
        SELECT
            rma_window_id,
            reason,
            is_of_accesses,
            if(bool_or(since_ns IS NULL), NULL, min(since_ns)) AS since_ns,
            if(bool_or(until_ns IS NULL), NULL, max(until_ns)) AS until_ns
        FROM losses
        GROUP BY rma_window_id, reason, is_of_accesses
    ),

    -- What reaches from before a loss into it.
    concerned AS (
        SELECT rma_window_id, location_group_id, enter_ns AS begin_ns, NULL::BIGINT AS end_ns
        FROM halves
        UNION ALL
        SELECT rma_window_id, location_group_id, begin_enter_ns, NULL
        FROM lonely_epochs
        UNION ALL
        SELECT rma_window_id, location_group_id, begin_ns, NULL
        FROM rma_collectives
        SEMI JOIN broken_instances USING (rma_window_id, ordinal)
        UNION ALL
        SELECT
            epochs.rma_window_id,
            epochs.location_group_id,
            epochs.lock_enter_ns,
            epochs.unlock_leave_ns
        FROM rma_lock_epochs AS epochs
        INNER JOIN windows USING (rma_window_id)
        WHERE
            epochs.release_ns > windows.since_ns
            AND coalesce(epochs.lock_enter_ns < windows.until_ns, TRUE)
    ),

    stretches AS (
        SELECT
            rma_window_id,
            location_group_id,
            min(begin_ns) AS begin_ns,
            max(end_ns) AS end_ns
        FROM concerned
        GROUP BY rma_window_id, location_group_id
    )

SELECT
    windows.rma_window_id,
    members.location_group_id,
    windows.reason,
    windows.is_of_accesses,
    if(windows.since_ns IS NULL, NULL, least(windows.since_ns, stretches.begin_ns)) AS since_ns,
    if(windows.until_ns IS NULL, NULL, greatest(windows.until_ns, stretches.end_ns)) AS until_ns
FROM windows
INNER JOIN members USING (rma_window_id)
LEFT JOIN stretches USING (rma_window_id, location_group_id)
-- Where nothing at all is recorded, one-sided communication is no subject.
WHERE EXISTS (FROM rma_calls)
ORDER BY
    windows.rma_window_id, members.location_group_id, windows.reason, windows.is_of_accesses
