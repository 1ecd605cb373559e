-- Count of each kind of finding, by the names used in `quality --fail-on`.
--
-- Grain:      one row per name
-- Inputs:     trace_quality
-- Output:     counts for conditions of the command quality; kind: the kind that is counted
-- Parameters: none
WITH
    named (kind, name) AS (
        VALUES
        ('unmatched_send', 'unmatched_sends'),
        ('unmatched_receive', 'unmatched_receives'),
        ('send_without_completion', 'sends_without_completion'),
        ('receive_without_request', 'receives_without_request'),
        ('request_without_completion', 'requests_without_completion'),
        ('cancelled_request', 'cancelled_requests'),
        ('partial_collective', 'partial_collectives'),
        ('inconsistent_collective', 'inconsistent_collectives'),
        ('unclosed_visit', 'unclosed_visits'),
        ('mismatched_leave', 'mismatched_leaves'),
        ('clock_violation', 'clock_violations'),
        ('contradicting_dependency', 'contradicting_dependencies'),
        ('time_reversal', 'time_reversals'),
        ('impossible_time', 'impossible_times'),
        ('impossible_id', 'impossible_ids'),
        ('unknown_record', 'unknown_records'),
        ('buffer_flush', 'buffer_flushes'),
        ('measurement_off', 'measurement_pauses'),
        ('missing_records', 'missing_records'),
        ('missing_location', 'missing_locations'),
        ('fewer_records_than_announced', 'locations_with_fewer_records'),
        ('more_records_than_announced', 'locations_with_more_records'),
        ('repeated_definition', 'repeated_definitions'),
        ('invalid_text', 'invalid_texts'),
        ('dropped_attribute', 'dropped_attributes'),
        ('team_without_fork', 'teams_without_fork'),
        ('unreadable_row', 'unreadable_rows'),
        ('assumed_communicator', 'assumed_communicators'),
        ('record_outside_call', 'records_outside_calls'),
        ('cut_input', 'cut_inputs')
    ),

    counted AS (
        SELECT
            named.kind,
            named.name,
            CASE
                WHEN named.kind = 'missing_location' THEN count(DISTINCT trace_quality.location_id)
                ELSE coalesce(sum(trace_quality.count), 0)
            END AS count
        FROM named
        LEFT JOIN trace_quality ON named.kind = trace_quality.kind::VARCHAR
        GROUP BY named.kind, named.name
        UNION ALL
        SELECT NULL, 'incomplete_locations', count(DISTINCT location_id)
        FROM trace_quality
        WHERE is_loss
        UNION ALL
        SELECT NULL, 'losses', coalesce(sum(count), 0)
        FROM trace_quality
        WHERE is_loss
        UNION ALL
        SELECT NULL, 'findings', coalesce(sum(count), 0)
        FROM trace_quality
    )

SELECT kind, name, count::BIGINT AS count
FROM counted
ORDER BY kind NULLS LAST, name
