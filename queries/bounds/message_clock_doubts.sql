-- Calls whose waiting for messages is not sure, because clocks contradict each other.
--
-- The wait is computed once more with the partner's time at either end of what the clocks of the
-- two allow: by their own messages, and by what clock_offsets says of each.
--
--     partner                 ├─ sent between ─┤
--     receiver      [ MPI_Recv ..................]
--                   |─ least ─|                      at least, and at most, the wait
--                   |─────────── most ─────────|
--
-- Which message was left waiting (wrong order) is not sure on the whole location.
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     clock_offsets, messages, call_paths, mpi_calls
-- Needs rows: clock_offsets, messages
-- Output:     message_clock_doubts
-- Parameters: none
-- Source:     the rules of late_sender and late_receiver
-- Assumes:    as clock_offsets
WITH
    -- Where nothing limits a shift: the difference of two offsets that nothing limits.
    endless AS (SELECT 2_000_000_000_000_000_000 AS shift_ns),

    differing AS (
        SELECT
            messages.*,
            senders.is_doubtful OR receivers.is_doubtful AS is_doubtful,
            senders.least_ns - receivers.most_ns AS least_shift_ns,
            senders.most_ns - receivers.least_ns AS most_shift_ns
        FROM messages
        INNER JOIN clock_offsets AS senders
            ON messages.sender_location_id = senders.location_id
        INNER JOIN clock_offsets AS receivers
            ON messages.receiver_location_id = receivers.location_id
    ),

    -- Limits of the shift from the first to the second location.
    pairs AS (
        SELECT
            least(sender_location_id, receiver_location_id) AS first_location_id,
            greatest(sender_location_id, receiver_location_id) AS second_location_id,
            coalesce(
                max(send_ns - receive_ns) FILTER (WHERE sender_location_id > receiver_location_id),
                -any_value(endless.shift_ns)
            ) AS least_ns,
            coalesce(
                min(receive_ns - send_ns) FILTER (WHERE sender_location_id < receiver_location_id),
                any_value(endless.shift_ns)
            ) AS most_ns
        FROM differing
        CROSS JOIN endless
        WHERE is_doubtful
        GROUP BY ALL
    ),

    -- Shifts are what is added to the sender's times to be on the receiver's clock.
    shifts AS (
        SELECT
            first_location_id AS sender_location_id,
            second_location_id AS receiver_location_id,
            least_ns,
            most_ns
        FROM pairs
        UNION ALL
        SELECT second_location_id, first_location_id, -most_ns, -least_ns
        FROM pairs
        WHERE first_location_id <> second_location_id
    ),

    combined AS (
        SELECT
            differing.* EXCLUDE (least_shift_ns, most_shift_ns),
            if(is_doubtful, greatest(least_shift_ns, least_ns), 0) AS least_shift_ns,
            if(is_doubtful, least(most_shift_ns, most_ns), 0) AS most_shift_ns
        FROM differing
        LEFT JOIN shifts USING (sender_location_id, receiver_location_id)
    ),

    -- Limits that contradict each other, as clocks drift, are none.
    shifted AS (
        SELECT
            combined.* EXCLUDE (least_shift_ns, most_shift_ns),
            if(least_shift_ns <= most_shift_ns, least_shift_ns, -endless.shift_ns)
                AS least_shift_ns,
            if(least_shift_ns <= most_shift_ns, most_shift_ns, endless.shift_ns) AS most_shift_ns
        FROM combined
        CROSS JOIN endless
    ),

    completing_paths AS (
        SELECT
            call_paths.call_path_id,
            mpi_calls.is_test,
            mpi_calls.can_wait_for_receiver
        FROM call_paths
        INNER JOIN mpi_calls USING (region_id)
    ),

    for_senders AS (
        SELECT
            receiver_location_id AS location_id,
            receive_completion_visit_id AS visit_id,
            receive_completion_call_path_id AS call_path_id,
            max(
                greatest(
                    least(
                        send_post_enter_ns + least_shift_ns, receive_completion_leave_ns
                    ) - receive_completion_enter_ns,
                    0
                )
            ) AS least_ns,
            max(
                greatest(
                    least(
                        send_post_enter_ns + most_shift_ns, receive_completion_leave_ns
                    ) - receive_completion_enter_ns,
                    0
                )
            ) AS most_ns,
            bool_or(is_doubtful) AS is_doubtful
        FROM shifted
        LEFT JOIN completing_paths
            ON shifted.receive_completion_call_path_id = completing_paths.call_path_id
        WHERE
            receive_completion_visit_id IS NOT NULL
            AND send_post_enter_ns IS NOT NULL
            AND NOT coalesce(completing_paths.is_test, FALSE)
        GROUP BY ALL
    ),

    receiver_waits AS (
        SELECT
            sender_location_id AS location_id,
            send_completion_visit_id AS visit_id,
            send_completion_call_path_id AS call_path_id,
            is_doubtful,
            receive_post_enter_ns - least_shift_ns < send_completion_leave_ns AS is_sure,
            greatest(receive_post_enter_ns - most_shift_ns - send_completion_enter_ns, 0)
                AS least_ns,
            if(
                receive_post_enter_ns - most_shift_ns < send_completion_leave_ns,
                greatest(
                    least(
                        receive_post_enter_ns - least_shift_ns, send_completion_leave_ns
                    ) - send_completion_enter_ns,
                    0
                ),
                0
            ) AS most_ns
        FROM shifted
        INNER JOIN completing_paths
            ON shifted.send_completion_call_path_id = completing_paths.call_path_id
        WHERE
            send_completion_visit_id IS NOT NULL
            AND receive_post_enter_ns IS NOT NULL
            AND completing_paths.can_wait_for_receiver
    ),

    -- A call that waited for a sender is not said to wait for a receiver.
    for_receivers AS (
        SELECT
            waits.location_id,
            waits.visit_id,
            waits.call_path_id,
            if(
                bool_or(coalesce(for_senders.most_ns > 0, FALSE)), 0,
                max(if(waits.is_sure, waits.least_ns, 0))
            ) AS least_ns,
            if(
                bool_or(coalesce(for_senders.least_ns > 0, FALSE)), 0, max(waits.most_ns)
            ) AS most_ns,
            bool_or(waits.is_doubtful OR coalesce(for_senders.is_doubtful, FALSE)) AS is_doubtful
        FROM receiver_waits AS waits
        LEFT JOIN for_senders ON waits.visit_id = for_senders.visit_id
        GROUP BY ALL
    ),

    unsure_locations AS (
        SELECT DISTINCT location_id
        FROM for_senders
        WHERE is_doubtful
    ),

    doubts AS (
        SELECT 'mpi_latesender' AS metric, * EXCLUDE (is_doubtful)
        FROM for_senders
        WHERE is_doubtful
        UNION ALL
        SELECT metric, for_senders.* EXCLUDE (least_ns, most_ns, is_doubtful), 0, most_ns
        FROM for_senders
        SEMI JOIN unsure_locations USING (location_id)
        CROSS JOIN (
            SELECT unnest(['mpi_latesender_wo', 'mpi_lswo_same', 'mpi_lswo_different']) AS metric
        )
        UNION ALL
        SELECT 'mpi_latereceiver', * EXCLUDE (is_doubtful)
        FROM for_receivers
        WHERE is_doubtful
    )

SELECT
    metric,
    FALSE AS is_beyond_reference,
    location_id,
    visit_id,
    call_path_id,
    'clock_violation' AS reason,
    least_ns::BIGINT AS least_ns,
    most_ns::BIGINT AS most_ns
FROM doubts
ORDER BY metric, visit_id, reason, is_beyond_reference
