-- What is missing, damaged or doubtful in the trace, and what it means for the results.
--
-- Grain:      one row per kind and location
-- Inputs:     reading_findings, locations, mpi_operations, sends, receives, unmatched_messages,
--             open_requests, collectives, clock_violations
-- Output:     trace_quality
-- Parameters: none
-- Source:     what the reader and the matching found
-- Assumes:    nothing
WITH
    -- A record that names no known peer is on no channel and cannot be matched.
    stray_sends AS (
        SELECT
            location_id,
            count(*) AS count
        FROM mpi_operations
        WHERE
            kind IN ('send', 'isend')
            AND (peer_group_id IS NULL OR communicator_id IS NULL)
        GROUP BY location_id
    ),

    records AS (
        SELECT
            location_id,
            count(*) FILTER (kind IN ('recv', 'irecv', 'mrecv', 'imrecv')) AS receive_count,
            count(*) FILTER (kind = 'request_cancelled') AS cancelled_count
        FROM mpi_operations
        WHERE kind IN ('recv', 'irecv', 'mrecv', 'imrecv', 'request_cancelled')
        GROUP BY location_id
    ),

    known_receives AS (
        SELECT
            receiver_location_id AS location_id,
            count(*) AS receive_count,
            count(*) FILTER (WHERE receive_post_ns IS NULL) AS unrequested_count
        FROM receives
        GROUP BY receiver_location_id
    ),

    unread AS (
        SELECT
            if(record_count = 0, 'missing_location', 'missing_records') AS kind,
            location_id,
            greatest(declared_count - record_count, 1) AS count
        FROM locations
        WHERE NOT is_complete OR record_count < declared_count
    ),

    findings AS (
        SELECT kind, location_id, count, time_ns FROM reading_findings
        UNION ALL
        SELECT unread.kind, unread.location_id, unread.count, NULL
        FROM unread
        ANTI JOIN reading_findings USING (kind, location_id)
        UNION ALL
        SELECT 'unmatched_' || side, location_id, count(*), NULL
        FROM unmatched_messages
        GROUP BY side, location_id
        UNION ALL
        SELECT 'unmatched_send', location_id, count, NULL FROM stray_sends
        UNION ALL
        SELECT
            'unmatched_receive',
            records.location_id,
            records.receive_count - coalesce(known_receives.receive_count, 0),
            NULL
        FROM records
        LEFT JOIN known_receives USING (location_id)
        UNION ALL
        SELECT 'receive_without_request', location_id, unrequested_count, NULL
        FROM known_receives
        UNION ALL
        SELECT 'send_without_completion', sender_location_id, count(*), NULL
        FROM sends
        WHERE send_completion_ns IS NULL
        GROUP BY sender_location_id
        UNION ALL
        SELECT 'request_without_completion', location_id, request_count, NULL
        FROM open_requests
        UNION ALL
        SELECT 'cancelled_request', location_id, cancelled_count, NULL FROM records
        UNION ALL
        SELECT
            if(
                member_count < expected_count, 'partial_collective', 'inconsistent_collective'
            ) AS kind,
            NULL,
            count(*),
            NULL
        FROM collectives
        WHERE NOT is_complete
        GROUP BY kind
        UNION ALL
        SELECT 'clock_violation', location_id, violation_count, clipped_ns
        FROM clock_violations
    ),

    -- Whether something that was recorded is lost, and what that means.
    explained (kind, is_loss, detail) AS (
        VALUES
        (
            'unmatched_send', FALSE,
            'No receive was found for these sends; no waiting is computed for them.'
        ),
        (
            'unmatched_receive', FALSE,
            'No send was found for these receives; no waiting is computed for them.'
        ),
        (
            'send_without_completion', FALSE,
            'The trace does not say when these sends completed; waiting for their receivers is '
            || 'not seen.'
        ),
        (
            'receive_without_request', FALSE,
            'The trace does not say when these receives were posted; their senders'' waiting is '
            || 'not seen.'
        ),
        (
            'request_without_completion', FALSE,
            'These operations were started but never completed in the trace; they are left out.'
        ),
        (
            'cancelled_request', FALSE,
            'The program cancelled these operations; they are left out.'
        ),
        (
            'partial_collective', FALSE,
            'Members of these collectives are not in the trace.'
        ),
        (
            'inconsistent_collective', FALSE,
            'Members of these collectives disagree on operation or root.'
        ),
        (
            'unclosed_visit', FALSE,
            'These regions were never left; they are taken to end with the location''s last record.'
        ),
        (
            'mismatched_leave', FALSE,
            'These records leave another region than the one entered last; call paths may be '
            || 'wrong there.'
        ),
        (
            'clock_violation', FALSE,
            'Clocks contradict each other here; waits are cut at the end of their call.'
        ),
        (
            'time_reversal', FALSE,
            'Time runs backwards between these records of a location.'
        ),
        (
            'impossible_time', FALSE,
            'These times lie outside the run; the record before them says when it was.'
        ),
        (
            'impossible_id', FALSE,
            'These records name something that the trace does not define.'
        ),
        (
            'unknown_record', TRUE,
            'Records that are not known, or lack what they need; they are left out.'
        ),
        (
            'buffer_flush', FALSE,
            'The measurement wrote its buffer; the time is no fault of the program.'
        ),
        (
            'measurement_off', FALSE,
            'Recording was switched off; what happened meanwhile is not in the results.'
        ),
        (
            'missing_records', TRUE,
            'Announced records could not be read; results of this location end early.'
        ),
        (
            'missing_location', TRUE,
            'No record of this location could be read; it is left out.'
        ),
        (
            'repeated_definition', FALSE,
            'The trace defines something twice; the first definition counts.'
        ),
        (
            'invalid_text', FALSE,
            'Names that are not valid UTF-8 are shown with replacements.'
        ),
        (
            'dropped_attribute', TRUE,
            'Records carried more extra values than are kept; the surplus ones are left out.'
        ),
        (
            'team_without_fork', FALSE,
            'These threads worked in teams whose fork is not known; their call paths begin anew.'
        ),
        (
            'unreadable_row', TRUE,
            'Rows of the file that could not be read; they are left out.'
        ),
        (
            'cut_input', TRUE,
            'The file breaks off; whatever should follow is missing.'
        )
    )

SELECT
    findings.kind,
    findings.location_id,
    sum(findings.count)::BIGINT AS count,
    sum(findings.time_ns)::BIGINT AS time_ns,
    explained.is_loss,
    explained.detail
FROM findings
-- A kind without explanation would break the rule that detail is never null.
LEFT JOIN explained USING (kind)
WHERE findings.count > 0
GROUP BY findings.kind, findings.location_id, explained.is_loss, explained.detail
ORDER BY findings.kind, findings.location_id NULLS FIRST
