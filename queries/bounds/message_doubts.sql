-- Calls whose waiting for messages is not sure, because records of messages are missing.
--
--     receive without partner     its call may have waited for its whole time, for the sender
--     send without partner        so may its call, for the receiver
--     message without partner     so may calls of the other side that may have completed it, if
--                                 no record tells what they completed
--     send without completion     calls that may have completed it may have waited
--     receive without request     the sender may have waited
--     channel with one of these   any call of its messages: they may be paired wrongly
--
-- Where the partner's records end early, what is missing is the end: pairs before it are sure.
-- Which message was left waiting (wrong order) is not sure on the whole location.
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     sends, receives, unmatched_messages, messages, mpi_operations, locations, visits,
--             mpi_calls, late_sender, late_receiver, disturbed_processes, trace_quality
-- Needs rows: trace_quality
-- Output:     message_doubts
-- Parameters: none
-- Source:     the rules of late_sender and late_receiver, for a partner at any time
-- Assumes:    a call that is recorded was there as recorded; of a channel not as many sends are
--             missing as receives; the visit of a call that is missing is in no bound
WITH
    short_groups AS (
        SELECT location_group_id
        FROM disturbed_processes
        WHERE reason = 'missing_records'
    ),

    unpaired AS (
        SELECT
            *,
            coalesce(
                if(side = 'send', receiver_group_id, sender_group_id) IN (FROM short_groups), FALSE
            ) AS is_cut
        FROM unmatched_messages
    ),

    doubtful_channels AS (
        SELECT
            communicator_id,
            sender_group_id,
            receiver_group_id,
            tag,
            min(reason) AS reason
        FROM (
            SELECT *, 'unmatched_message' AS reason
            FROM unpaired
            WHERE NOT is_cut
            UNION ALL BY NAME
            SELECT
                communicator_id,
                sender_group_id,
                receiver_group_id,
                tag,
                'missing_request' AS reason
            FROM receives
            WHERE receive_post_ns IS NULL
        )
        GROUP BY ALL
    ),

    mispaired AS (
        SELECT
            messages.*,
            doubtful_channels.reason
        FROM messages
        INNER JOIN doubtful_channels
            USING (communicator_id, sender_group_id, receiver_group_id, tag)
    ),

    -- Records of unmatched receives, those from unknown processes among them.
    lonely_receives AS (
        SELECT
            records.visit_id,
            coalesce(records.peer_group_id IN (FROM short_groups), FALSE) AS is_cut
        FROM mpi_operations AS records
        SEMI JOIN (SELECT location_id FROM trace_quality WHERE kind = 'unmatched_receive')
            USING (location_id)
        ANTI JOIN messages
            ON
                records.location_id = messages.receiver_location_id
                AND records.sequence = messages.receive_sequence
        WHERE records.kind IN ('recv', 'irecv', 'mrecv', 'imrecv')
    ),

    lonely_sends AS (
        SELECT
            sends.send_completion_visit_id AS visit_id,
            unpaired.is_cut
        FROM unpaired
        INNER JOIN sends USING (communicator_id, sender_group_id, receiver_group_id, tag, ordinal)
        WHERE unpaired.side = 'send'
        UNION ALL
        -- Of sends to unknown processes the completion may be any that is recorded there.
        SELECT
            completions.visit_id,
            FALSE AS is_cut
        FROM mpi_operations AS completions
        SEMI JOIN (
            SELECT location_id
            FROM mpi_operations
            WHERE
                kind IN ('send', 'isend')
                AND (peer_group_id IS NULL OR communicator_id IS NULL)
        ) AS strays
            USING (location_id)
        WHERE completions.kind IN ('send', 'isend_complete')
    ),

    -- Where, and from when on, there are ends of messages of which no record tells.
    silent_ends AS (
        SELECT
            if(side = 'send', receiver_group_id, sender_group_id) AS location_group_id,
            if(side = 'send', 'receive', 'send') AS side,
            'unmatched_message' AS reason,
            NULL::BIGINT AS time_ns
        FROM unpaired
        WHERE NOT is_cut
        UNION ALL
        SELECT
            sender_group_id,
            'send' AS side,
            'missing_request' AS reason,
            send_ns
        FROM sends
        WHERE send_completion_ns IS NULL
    ),

    silences AS (
        SELECT
            locations.location_id,
            silent_ends.side,
            min(silent_ends.reason) AS reason,
            if(count(*) > count(silent_ends.time_ns), NULL, min(silent_ends.time_ns)) AS time_ns
        FROM silent_ends
        INNER JOIN locations USING (location_group_id)
        GROUP BY locations.location_id, silent_ends.side
    ),

    completing_calls AS (
        SELECT
            region_id,
            call IN ('mpi_waitall', 'mpi_waitsome') AS is_of_many,
            call NOT IN ('mpi_send', 'mpi_ssend') AS can_receive,
            can_wait_for_receiver
        FROM mpi_calls
        WHERE
            can_wait_for_receiver
            OR call IN ('mpi_recv', 'mpi_mrecv', 'mpi_sendrecv', 'mpi_sendrecv_replace')
    ),

    -- Calls of one completion that is recorded complete nothing else.
    told AS (
        SELECT visit_id, unnest(['send', 'receive']) AS side
        FROM mpi_operations
        SEMI JOIN silences USING (location_id)
        WHERE kind IN ('recv', 'irecv', 'mrecv', 'imrecv')
        UNION ALL
        SELECT send_completion_visit_id, 'send'
        FROM sends
        WHERE EXISTS (FROM silences)
        UNION ALL
        SELECT send_completion_visit_id, 'receive'
        FROM sends
        WHERE EXISTS (FROM silences) AND send_completion_visit_id <> send_post_visit_id
    ),

    silent_calls AS (
        SELECT
            silences.side,
            silences.reason,
            visits.visit_id
        FROM visits
        INNER JOIN silences USING (location_id)
        INNER JOIN completing_calls USING (region_id)
        ANTI JOIN told
            ON
                visits.visit_id = told.visit_id
                AND silences.side = told.side
                AND NOT completing_calls.is_of_many
        WHERE
            if(
                silences.side = 'send',
                completing_calls.can_wait_for_receiver, completing_calls.can_receive
            )
            AND (silences.time_ns IS NULL OR visits.leave_ns >= silences.time_ns)
    ),

    -- Whether known waits are sure is told by `is_paired`.
    unsure (visit_id, side, reason, is_paired) AS (
        SELECT receive_completion_visit_id, 'receive', reason, FALSE FROM mispaired
        UNION ALL
        SELECT send_completion_visit_id, 'send', reason, FALSE FROM mispaired
        UNION ALL
        SELECT visit_id, 'receive', if(is_cut, 'missing_records', 'unmatched_message'), TRUE
        FROM lonely_receives
        UNION ALL
        SELECT visit_id, 'send', if(is_cut, 'missing_records', 'unmatched_message'), TRUE
        FROM lonely_sends
        UNION ALL
        SELECT visit_id, side, reason, TRUE FROM silent_calls
    ),

    calls AS (
        SELECT
            visit_id,
            min(reason) AS reason,
            bool_or(side = 'receive') AS may_receive,
            bool_or(side = 'send') AS may_send,
            bool_and(is_paired) AS is_paired
        FROM unsure
        WHERE visit_id IS NOT NULL
        GROUP BY visit_id
    ),

    described AS (
        SELECT
            calls.*,
            visits.location_id,
            visits.call_path_id,
            visits.leave_ns - visits.enter_ns AS duration_ns,
            coalesce(mpi_calls.is_test, FALSE) AS is_test,
            coalesce(mpi_calls.can_wait_for_receiver, FALSE) AS can_wait_for_receiver,
            coalesce(late_sender.wait_ns, 0) AS sender_wait_ns,
            coalesce(late_receiver.wait_ns, 0) AS receiver_wait_ns
        FROM calls
        INNER JOIN visits USING (visit_id)
        LEFT JOIN mpi_calls USING (region_id)
        LEFT JOIN late_sender USING (visit_id)
        LEFT JOIN late_receiver USING (visit_id)
    ),

    for_senders AS (
        SELECT
            location_id,
            visit_id,
            call_path_id,
            reason,
            if(is_paired, sender_wait_ns, 0) AS least_ns,
            duration_ns AS most_ns
        FROM described
        WHERE may_receive AND NOT is_test
    ),

    -- A call that waited for a sender is not said to wait for a receiver.
    for_receivers AS (
        SELECT
            location_id,
            visit_id,
            call_path_id,
            reason,
            if(is_paired AND NOT may_receive, receiver_wait_ns, 0) AS least_ns,
            duration_ns AS most_ns
        FROM described
        WHERE
            can_wait_for_receiver
            AND (may_send OR visit_id IN (SELECT send_completion_visit_id FROM sends))
            AND NOT (sender_wait_ns > 0 AND (is_paired OR NOT may_receive))
    ),

    unsure_orders AS (
        SELECT
            location_id,
            min(reason) AS reason
        FROM for_senders
        GROUP BY location_id
    ),

    ordered AS (
        SELECT location_id, visit_id, call_path_id, reason, most_ns
        FROM for_senders
        UNION ALL
        SELECT
            late_sender.location_id,
            late_sender.visit_id,
            late_sender.call_path_id,
            unsure_orders.reason,
            late_sender.wait_ns
        FROM late_sender
        INNER JOIN unsure_orders USING (location_id)
        ANTI JOIN for_senders ON late_sender.visit_id = for_senders.visit_id
    ),

    doubts AS (
        SELECT 'mpi_latesender' AS metric, * FROM for_senders
        UNION ALL BY NAME
        SELECT metric, ordered.*, 0 AS least_ns
        FROM ordered
        CROSS JOIN (
            SELECT unnest(['mpi_latesender_wo', 'mpi_lswo_same', 'mpi_lswo_different']) AS metric
        )
        UNION ALL BY NAME
        SELECT 'mpi_latereceiver' AS metric, * FROM for_receivers
    )

SELECT
    metric,
    FALSE AS is_beyond_reference,
    location_id,
    visit_id,
    call_path_id,
    reason,
    least_ns::BIGINT AS least_ns,
    most_ns
FROM doubts
-- Where nothing is missing or doubtful in the trace, nothing is here.
WHERE EXISTS (FROM trace_quality)
ORDER BY metric, visit_id, reason, is_beyond_reference
