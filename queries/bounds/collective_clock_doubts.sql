-- Calls whose waiting in collectives is not sure, because clocks contradict each other.
--
-- The wait is computed once more with each begin at either end of what clock_offsets allows. For
-- the longest wait the others begin as late as possible and the member as early as possible:
--
--     others                 ├─ begin between ─┤
--     member    ├─ begin between ─┤ ................. end
--
-- Of prefix reductions and neighbourhoods, and of completing together, only the length of the call
-- is known.
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     clock_offsets, collective_roles, collective_metrics, framing_calls, collectives,
--             call_paths, mpi_calls
-- Needs rows: clock_offsets
-- Output:     collective_clock_doubts
-- Parameters: none
-- Source:     the rules of synchronised_members and framing_calls
-- Assumes:    as clock_offsets
WITH
    members AS (
        SELECT
            roles.collective_id,
            collectives.operation::VARCHAR AS operation,
            roles.family::VARCHAR AS family,
            roles.is_nonblocking,
            roles.is_beyond_reference,
            roles.location_id,
            roles.side,
            roles.awaited_side,
            roles.visit_id,
            roles.call_path_id,
            roles.enter_ns,
            roles.begin_ns,
            roles.end_ns,
            roles.is_awaited,
            roles.is_waiting,
            offsets.is_doubtful,
            offsets.least_ns,
            offsets.most_ns
        FROM collective_roles AS roles
        INNER JOIN collectives USING (collective_id)
        INNER JOIN clock_offsets AS offsets USING (location_id)
        UNION ALL
        -- MPI_Finalize is a barrier of all processes, numbered as no collective is.
        SELECT
            -1 AS collective_id,
            'finalize' AS operation,
            'barrier' AS family,
            FALSE AS is_nonblocking,
            FALSE AS is_beyond_reference,
            framing_calls.location_id,
            0 AS side,
            0 AS awaited_side,
            framing_calls.visit_id,
            framing_calls.call_path_id,
            framing_calls.enter_ns,
            framing_calls.enter_ns AS begin_ns,
            framing_calls.leave_ns AS end_ns,
            TRUE AS is_awaited,
            TRUE AS is_waiting,
            offsets.is_doubtful,
            offsets.least_ns,
            offsets.most_ns
        FROM framing_calls
        INNER JOIN clock_offsets AS offsets USING (location_id)
        WHERE framing_calls.is_finalize
    ),

    unsure_instances AS (
        SELECT collective_id
        FROM members
        GROUP BY collective_id
        HAVING bool_or(is_doubtful)
    ),

    -- The last two, for a member does not wait for itself.
    latest AS (
        SELECT
            members.collective_id,
            members.side AS awaited_side,
            max(
                {'at_ns': begin_ns + least_ns, 'location_id': location_id}, 2
            ) FILTER (WHERE is_awaited) AS least_begins,
            max(
                {'at_ns': begin_ns + most_ns, 'location_id': location_id}, 2
            ) FILTER (WHERE is_awaited OR family = 'n_to_n') AS most_begins
        FROM members
        SEMI JOIN unsure_instances USING (collective_id)
        WHERE family NOT IN ('scan', 'neighbourhood')
        GROUP BY members.collective_id, members.side
    ),

    limited AS (
        SELECT
            members.*,
            end_ns - greatest(begin_ns, enter_ns) AS duration_ns,
            if(
                latest.least_begins[1].location_id = members.location_id,
                latest.least_begins[2].at_ns, latest.least_begins[1].at_ns
            ) - members.most_ns - begin_ns AS least_wait_ns,
            if(
                latest.most_begins[1].location_id = members.location_id,
                latest.most_begins[2].at_ns, latest.most_begins[1].at_ns
            ) - members.least_ns - greatest(begin_ns, enter_ns) AS most_wait_ns
        FROM members
        SEMI JOIN unsure_instances USING (collective_id)
        LEFT JOIN latest USING (collective_id, awaited_side)
        WHERE members.visit_id IS NOT NULL
    ),

    waits AS (
        SELECT
            limited.*,
            CASE
                WHEN is_nonblocking OR NOT is_waiting OR family IN ('scan', 'neighbourhood') THEN 0
                ELSE least(greatest(coalesce(least_wait_ns, 0), 0), duration_ns)
            END AS least_true_ns,
            CASE
                WHEN family IN ('scan', 'neighbourhood') THEN duration_ns
                ELSE least(greatest(coalesce(most_wait_ns, 0), 0), duration_ns)
            END AS most_true_ns
        FROM limited
        LEFT JOIN call_paths USING (call_path_id)
        LEFT JOIN mpi_calls USING (region_id)
        WHERE
            NOT coalesce(mpi_calls.is_test, FALSE)
            AND (is_waiting OR family = 'n_to_n')
            AND duration_ns > 0
    ),

    doubts AS (
        SELECT
            CASE
                WHEN waits.operation = 'finalize' THEN 'mpi_finalize_wait'
                WHEN waits.family = 'neighbourhood' THEN 'mpi_wait_nxn'
                ELSE metrics.wait_metric
            END AS metric,
            waits.is_beyond_reference,
            waits.location_id,
            waits.visit_id,
            waits.call_path_id,
            waits.least_true_ns AS least_ns,
            waits.most_true_ns AS most_ns
        FROM waits
        LEFT JOIN collective_metrics AS metrics USING (operation)
        UNION ALL
        SELECT
            metrics.completion_metric,
            waits.is_beyond_reference,
            waits.location_id,
            waits.visit_id,
            waits.call_path_id,
            0,
            waits.duration_ns - waits.least_true_ns
        FROM waits
        INNER JOIN collective_metrics AS metrics USING (operation)
        WHERE
            metrics.completion_metric IS NOT NULL
            AND waits.family <> 'neighbourhood'
            AND NOT waits.is_nonblocking
        UNION ALL
        SELECT
            'mpi_init_completion',
            FALSE,
            framing_calls.location_id,
            framing_calls.visit_id,
            framing_calls.call_path_id,
            0,
            framing_calls.leave_ns - framing_calls.enter_ns
        FROM framing_calls
        WHERE
            NOT framing_calls.is_finalize
            AND EXISTS (FROM clock_offsets WHERE is_doubtful)
    )

SELECT
    metric,
    is_beyond_reference,
    location_id,
    visit_id,
    call_path_id,
    'clock_violation' AS reason,
    min(least_ns)::BIGINT AS least_ns,
    max(most_ns)::BIGINT AS most_ns
FROM doubts
GROUP BY ALL
ORDER BY metric, visit_id, reason, is_beyond_reference
