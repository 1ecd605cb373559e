-- Calls whose waiting in one-sided communication is not sure.
--
-- Each may have waited for its whole time, or not at all, for whatever it can wait for. Where only
-- clocks disagree, what all processes of a window do together has a limit: others begin as late as
-- clock_offsets allows, and the process itself as early.
--
--     others                 ├─ begin between ─┤
--     process   ├─ begin between ─┤ ................. end
--                    |──────── most ──────────|
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     doubtful_windows, rma_calls, rma_collectives, clock_offsets, visits, locations,
--             mpi_calls
-- Needs rows: doubtful_windows
-- Output:     rma_doubts
-- Parameters: none
-- Source:     the rules of rma_synchronisation_waits, late_post, rma_lock_competition and
--             wait_for_progress, for a partner at any time
-- Assumes:    as doubtful_windows; the visit of a call that is missing is in no bound
WITH
    waiting_calls AS (
        SELECT
            region_id,
            unnest(
                CASE one_sided_role
                    WHEN 'create' THEN ['mpi_rma_wait_at_create']
                    WHEN 'free' THEN ['mpi_rma_wait_at_free']
                    WHEN 'fence' THEN ['mpi_rma_wait_at_fence', 'mpi_rma_early_fence']
                    WHEN 'start' THEN ['mpi_rma_sync_late_post']
                    WHEN 'complete' THEN ['mpi_rma_sync_late_post', 'mpi_rma_wait_for_progress']
                    WHEN 'wait' THEN ['mpi_rma_early_wait', 'mpi_rma_late_complete']
                    WHEN 'lock' THEN ['mpi_rma_sync_lock_competition']
                    WHEN 'unlock'
                        THEN ['mpi_rma_sync_lock_competition', 'mpi_rma_wait_for_progress']
                    WHEN 'flush' THEN ['mpi_rma_wait_for_progress']
                    WHEN 'access'
                        THEN
                            [
                                'mpi_rma_comm_late_post',
                                'mpi_rma_comm_lock_competition',
                                'mpi_rma_wait_for_progress'
                            ]
                END
            ) AS metric
        FROM mpi_calls
    ),

    -- Nobody knows which window a call without a record was about.
    processes AS (
        SELECT
            location_group_id,
            reason,
            is_of_accesses,
            if(bool_or(since_ns IS NULL), NULL, min(since_ns)) AS since_ns,
            if(bool_or(until_ns IS NULL), NULL, max(until_ns)) AS until_ns
        FROM doubtful_windows
        GROUP BY location_group_id, reason, is_of_accesses
    ),

    told AS (
        SELECT DISTINCT visit_id, rma_window_id
        FROM rma_calls
    ),

    calls AS (
        SELECT
            visits.*,
            locations.location_group_id,
            told.rma_window_id,
            waiting_calls.metric
        FROM visits
        INNER JOIN waiting_calls USING (region_id)
        INNER JOIN locations USING (location_id)
        LEFT JOIN told USING (visit_id)
    ),

    doubts AS (
        SELECT calls.*, windows.* EXCLUDE (rma_window_id, location_group_id)
        FROM calls
        INNER JOIN doubtful_windows AS windows USING (rma_window_id, location_group_id)
        UNION ALL
        SELECT calls.*, processes.* EXCLUDE (location_group_id)
        FROM calls
        INNER JOIN processes USING (location_group_id)
        WHERE calls.rma_window_id IS NULL
    ),

    members AS (
        SELECT
            collectives.rma_window_id,
            collectives.ordinal,
            collectives.visit_id,
            collectives.location_id,
            collectives.begin_ns + offsets.least_ns AS least_begin_ns,
            collectives.begin_ns + offsets.most_ns AS most_begin_ns
        FROM rma_collectives AS collectives
        INNER JOIN clock_offsets AS offsets USING (location_id)
        WHERE collectives.is_complete
    ),

    -- The last two, for a process does not wait for itself.
    latest AS (
        SELECT
            rma_window_id,
            ordinal,
            max({'at_ns': most_begin_ns, 'location_id': location_id}, 2) AS last_ones
        FROM members
        GROUP BY rma_window_id, ordinal
    ),

    limits AS (
        SELECT
            members.visit_id,
            max(
                if(
                    latest.last_ones[1].location_id = members.location_id,
                    latest.last_ones[2].at_ns, latest.last_ones[1].at_ns
                ) - members.least_begin_ns
            ) AS most_ns
        FROM members
        INNER JOIN latest USING (rma_window_id, ordinal)
        GROUP BY members.visit_id
    )

SELECT
    doubts.metric,
    TRUE AS is_beyond_reference,
    doubts.location_id,
    doubts.visit_id,
    doubts.call_path_id,
    doubts.reason,
    0::BIGINT AS least_ns,
    max(
        if(
            doubts.reason = 'clock_violation' AND limits.most_ns IS NOT NULL,
            least(greatest(limits.most_ns, 0), doubts.leave_ns - doubts.enter_ns),
            doubts.leave_ns - doubts.enter_ns
        )
    )::BIGINT AS most_ns
FROM doubts
LEFT JOIN limits USING (visit_id)
WHERE
    coalesce(doubts.leave_ns > doubts.since_ns, TRUE)
    AND coalesce(doubts.enter_ns < doubts.until_ns, TRUE)
    AND (
        NOT doubts.is_of_accesses
        OR doubts.metric IN (
            'mpi_rma_early_fence', 'mpi_rma_late_complete', 'mpi_rma_comm_late_post',
            'mpi_rma_sync_lock_competition', 'mpi_rma_comm_lock_competition',
            'mpi_rma_wait_for_progress'
        )
    )
GROUP BY ALL
ORDER BY doubts.metric, doubts.visit_id, doubts.reason, is_beyond_reference
