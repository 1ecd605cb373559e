-- What must be added to the times of each location to be on one clock, where clocks contradict
-- each other.
--
-- A message cannot arrive before it was sent, a member of a collective not end before those it
-- needs have begun. With one location as the measure (of those that contradict nobody the first,
-- else the first of all) each such pair of records with it limits the offset of the other:
--
--     measure     [ send ]           [recv]          least: send - recv of messages to it
--     other             [recv]  [send]               most:  recv - send of messages from it
--
-- Limits that contradict each other mean clocks that drift: then nothing is known.
--
-- Grain:      one row per location, if clocks contradict each other
-- Inputs:     messages, synchronised_members, framing_calls, collective_roles, collectives,
--             rma_epochs, rma_epoch_pairs, locations, trace_quality
-- Needs rows: trace_quality or rma_epoch_pairs
-- Output:     clock_offsets
-- Parameters: none
-- Source:     the clock condition: an effect does not come before its cause
-- Assumes:    clocks of locations that contradict nobody agree; others are off by a constant
WITH
    -- Where nothing limits an offset: 32 years are more than any run, and can be added to times.
    endless AS (SELECT 1_000_000_000_000_000_000 AS offset_ns),

    contradictions AS (
        SELECT [sender_location_id, receiver_location_id] AS pair
        FROM messages
        WHERE is_clock_violation
        UNION ALL
        SELECT [location_id, last_location_id]
        FROM synchronised_members
        WHERE family NOT IN ('scan', 'neighbourhood') AND last_begin_ns > end_ns
        UNION ALL
        SELECT [location_id, last_location_id]
        FROM framing_calls
        WHERE last_enter_ns > leave_ns
        UNION ALL
        -- MPI_Win_wait ends after MPI_Win_complete has begun.
        SELECT [epochs.end_location_id, pairs.complete_location_id]
        FROM rma_epochs AS epochs
        INNER JOIN rma_epoch_pairs AS pairs ON epochs.begin_visit_id = pairs.post_visit_id
        WHERE pairs.complete_enter_ns > epochs.end_leave_ns
    ),

    doubtful AS (SELECT DISTINCT unnest(pair) AS location_id FROM contradictions),

    measure AS (
        SELECT locations.location_id
        FROM locations
        LEFT JOIN doubtful USING (location_id)
        WHERE
            locations.visit_count > 0
            AND EXISTS (FROM doubtful)
            AND (
                EXISTS (FROM trace_quality WHERE kind = 'clock_violation')
                OR EXISTS (FROM rma_epoch_pairs)
            )
        ORDER BY doubtful.location_id IS NOT NULL, locations.location_id
        LIMIT 1
    ),

    needs AS (
        SELECT roles.*
        FROM collective_roles AS roles
        INNER JOIN collectives USING (collective_id)
        WHERE
            EXISTS (FROM measure)
            AND roles.family NOT IN ('scan', 'neighbourhood')
            AND collectives.operation NOT IN ('alltoallv', 'alltoallw')
    ),

    measured AS (
        SELECT needs.*
        FROM needs
        SEMI JOIN measure USING (location_id)
    ),

    limits (location_id, least_ns, most_ns) AS (
        SELECT receiver_location_id, send_ns - receive_ns, NULL
        FROM messages
        SEMI JOIN measure ON messages.sender_location_id = measure.location_id
        UNION ALL
        SELECT sender_location_id, NULL, receive_ns - send_ns
        FROM messages
        SEMI JOIN measure ON messages.receiver_location_id = measure.location_id
        UNION ALL
        SELECT
            needs.location_id,
            if(
                needs.is_waiting AND measured.is_awaited AND needs.awaited_side = measured.side,
                measured.begin_ns - needs.end_ns, NULL
            ),
            if(
                measured.is_waiting AND needs.is_awaited AND measured.awaited_side = needs.side,
                measured.end_ns - needs.begin_ns, NULL
            )
        FROM needs
        INNER JOIN measured USING (collective_id)
        UNION ALL
        SELECT
            others.location_id,
            measured_calls.enter_ns - others.leave_ns,
            measured_calls.leave_ns - others.enter_ns
        FROM framing_calls AS others
        INNER JOIN framing_calls AS measured_calls USING (is_finalize)
        SEMI JOIN measure ON measured_calls.location_id = measure.location_id
        WHERE others.is_finalize
    ),

    limited AS (
        SELECT
            location_id,
            coalesce(max(least_ns), -any_value(endless.offset_ns)) AS least_ns,
            coalesce(min(most_ns), any_value(endless.offset_ns)) AS most_ns
        FROM limits
        CROSS JOIN endless
        GROUP BY location_id
    ),

    offsets AS (
        SELECT
            locations.location_id,
            doubtful.location_id IS NOT NULL AS is_doubtful,
            locations.location_id = measure.location_id
            OR (
                doubtful.location_id IS NULL
                AND measure.location_id NOT IN (FROM doubtful)
            ) AS is_known,
            coalesce(limited.least_ns <= limited.most_ns, FALSE) AS is_limited,
            limited.least_ns,
            limited.most_ns
        FROM locations
        CROSS JOIN measure
        LEFT JOIN doubtful ON locations.location_id = doubtful.location_id
        LEFT JOIN limited ON locations.location_id = limited.location_id
    )

SELECT
    offsets.location_id,
    offsets.is_doubtful,
    CASE
        WHEN offsets.is_known THEN 0
        WHEN offsets.is_limited THEN offsets.least_ns
        ELSE -endless.offset_ns
    END AS least_ns,
    CASE
        WHEN offsets.is_known THEN 0
        WHEN offsets.is_limited THEN offsets.most_ns
        ELSE endless.offset_ns
    END AS most_ns
FROM offsets
CROSS JOIN endless
ORDER BY offsets.location_id
