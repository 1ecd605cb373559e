-- Missing, damaged or uncertain parts of the trace, and their effect on the results.
--
-- Grain:      one row per kind and location
-- Inputs:     reading_findings, locations, mpi_operations, call_paths, regions,
--             location_messages, unmatched_messages, open_requests, collectives, clock_violations,
--             left_out_dependencies
-- Output:     trace_quality
-- Parameters: none
-- Source:     the findings of the reader and of the matching
-- Assumes:    nothing
WITH
    -- A record without a known peer belongs to no channel and cannot be matched.
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

    -- The reader gives calls that are no library calls no time.
    outside_calls AS (
        SELECT
            mpi_operations.location_id,
            count(*) AS count
        FROM mpi_operations
        LEFT JOIN call_paths ON mpi_operations.call_path_id = call_paths.call_path_id
        LEFT JOIN regions ON call_paths.region_id = regions.region_id
        WHERE
            mpi_operations.kind IN ('send', 'isend', 'recv', 'irecv', 'collective')
            AND coalesce(mpi_operations.enter_ns = mpi_operations.leave_ns, TRUE)
            AND (regions.paradigm IS NULL OR regions.paradigm <> 'mpi')
            AND (regions.name IS NULL OR NOT regexp_matches(lower(regions.name), '^p?mpi_'))
        GROUP BY mpi_operations.location_id
    ),

    unread AS (
        SELECT
            if(record_count = 0, 'missing_location', 'missing_records') AS kind,
            location_id,
            greatest(declared_count - record_count, 1) AS count
        FROM locations
        WHERE NOT is_complete
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
        SELECT 'record_outside_call', location_id, count, NULL FROM outside_calls
        UNION ALL
        SELECT
            'unmatched_receive',
            records.location_id,
            records.receive_count - coalesce(location_messages.receive_count, 0),
            NULL
        FROM records
        LEFT JOIN location_messages USING (location_id)
        UNION ALL
        SELECT 'receive_without_request', location_id, unrequested_count, NULL
        FROM location_messages
        UNION ALL
        SELECT 'send_without_completion', location_id, incomplete_send_count, NULL
        FROM location_messages
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
        UNION ALL
        SELECT 'contradicting_dependency', NULL, sum(count)::BIGINT, NULL
        FROM left_out_dependencies
        HAVING count(*) > 0
    ),

    -- Whether recorded data is lost, and the effect on the results.
    explained (kind, is_loss, detail) AS (
        VALUES
        (
            'unmatched_send', FALSE,
            'No matching receive was found for these sends. They have no wait states.'
        ),
        (
            'unmatched_receive', FALSE,
            'No matching send was found for these receives. They have no wait states.'
        ),
        (
            'send_without_completion', FALSE,
            'The trace does not record when these sends completed. Waits for their receivers are '
            || 'not detected.'
        ),
        (
            'receive_without_request', FALSE,
            'The trace does not record when these receives were posted. Waits of their senders '
            || 'are not detected.'
        ),
        (
            'request_without_completion', FALSE,
            'These operations were started but never completed in the trace. They are left out.'
        ),
        (
            'cancelled_request', FALSE,
            'The program canceled these operations. They are left out.'
        ),
        (
            'partial_collective', FALSE,
            'These collectives have members that are not in the trace.'
        ),
        (
            'inconsistent_collective', FALSE,
            'Members of these collectives disagree about the operation or the root.'
        ),
        (
            'unclosed_visit', FALSE,
            'These regions were never left. They are assumed to end with the last record of '
            || 'their location.'
        ),
        (
            'mismatched_leave', FALSE,
            'These records leave a region other than the one entered last. Call paths may be '
            || 'wrong there.'
        ),
        (
            'clock_violation', FALSE,
            'Clocks contradict each other here, as recorded.'
        ),
        (
            'contradicting_dependency', FALSE,
            'What these calls waited for comes later. Replays leave these dependencies out; the '
            || 'table left_out_dependencies counts them by kind.'
        ),
        (
            'time_reversal', FALSE,
            'Time goes backwards between these records of a location.'
        ),
        (
            'impossible_time', FALSE,
            'These times lie outside the run. The time of the previous record is used instead.'
        ),
        (
            'impossible_id', FALSE,
            'These records refer to ids that the trace does not define.'
        ),
        (
            'unknown_record', TRUE,
            'These records have an unknown type or lack required data. They are left out.'
        ),
        (
            'buffer_flush', FALSE,
            'The measurement system wrote its buffer. This time is not caused by the program.'
        ),
        (
            'measurement_off', FALSE,
            'Recording was switched off. Events in this time are not in the results.'
        ),
        (
            'missing_records', TRUE,
            'Some records could not be read. Results of this location end early.'
        ),
        (
            'missing_location', TRUE,
            'The definitions announce records of this location, but none could be read: its event '
            || 'file is missing, empty or damaged. It is left out.'
        ),
        (
            'fewer_records_than_announced', FALSE,
            'These locations contain fewer records than the definitions announce. Their event '
            || 'files are whole. All records are read.'
        ),
        (
            'more_records_than_announced', FALSE,
            'These locations contain more records than the definitions announce. All are read.'
        ),
        (
            'repeated_definition', FALSE,
            'The trace has several definitions for one id. The first definition is used.'
        ),
        (
            'invalid_text', FALSE,
            'Names that are not valid UTF-8 are shown with replacement characters.'
        ),
        (
            'dropped_attribute', TRUE,
            'Records carried more extra values than are stored. The surplus values are left out.'
        ),
        (
            'team_without_fork', FALSE,
            'These threads worked in teams without a known fork. Their call paths have a new root.'
        ),
        (
            'record_outside_call', FALSE,
            'These messages and collectives are recorded outside of MPI calls. The time of the '
            || 'calls is unknown, and waits in them are not detected.'
        ),
        (
            'assumed_communicator', FALSE,
            'The trace does not define the members of these communicators. The processes that use '
            || 'one are taken as its members, in their order.'
        ),
        (
            'unreadable_row', TRUE,
            'Rows of the file could not be read. They are left out.'
        ),
        (
            'cut_input', TRUE,
            'The file is truncated. The rest of its data is missing.'
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
-- LEFT JOIN: a kind without explanation must fail, because detail is never null.
LEFT JOIN explained USING (kind)
WHERE findings.count > 0
GROUP BY findings.kind, findings.location_id, explained.is_loss, explained.detail
ORDER BY findings.kind, findings.location_id NULLS FIRST
