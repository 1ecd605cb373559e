-- How often each kind of finding occurs, under the names that `quality --fail-on` knows.
--
-- Grain:      one row
-- Inputs:     trace_quality
-- Output:     what an expression of the command quality is about
-- Parameters: none
SELECT
    coalesce(sum(count) FILTER (kind = 'unmatched_send'), 0)::BIGINT AS unmatched_sends,
    coalesce(sum(count) FILTER (kind = 'unmatched_receive'), 0)::BIGINT AS unmatched_receives,
    coalesce(sum(count) FILTER (kind = 'send_without_completion'), 0)::BIGINT
        AS sends_without_completion,
    coalesce(sum(count) FILTER (kind = 'receive_without_request'), 0)::BIGINT
        AS receives_without_request,
    coalesce(sum(count) FILTER (kind = 'request_without_completion'), 0)::BIGINT
        AS requests_without_completion,
    coalesce(sum(count) FILTER (kind = 'cancelled_request'), 0)::BIGINT AS cancelled_requests,
    coalesce(sum(count) FILTER (kind = 'partial_collective'), 0)::BIGINT AS partial_collectives,
    coalesce(sum(count) FILTER (kind = 'inconsistent_collective'), 0)::BIGINT
        AS inconsistent_collectives,
    coalesce(sum(count) FILTER (kind = 'unclosed_visit'), 0)::BIGINT AS unclosed_visits,
    coalesce(sum(count) FILTER (kind = 'mismatched_leave'), 0)::BIGINT AS mismatched_leaves,
    coalesce(sum(count) FILTER (kind = 'clock_violation'), 0)::BIGINT AS clock_violations,
    coalesce(sum(count) FILTER (kind = 'time_reversal'), 0)::BIGINT AS time_reversals,
    coalesce(sum(count) FILTER (kind = 'impossible_time'), 0)::BIGINT AS impossible_times,
    coalesce(sum(count) FILTER (kind = 'impossible_id'), 0)::BIGINT AS impossible_ids,
    coalesce(sum(count) FILTER (kind = 'unknown_record'), 0)::BIGINT AS unknown_records,
    coalesce(sum(count) FILTER (kind = 'buffer_flush'), 0)::BIGINT AS buffer_flushes,
    coalesce(sum(count) FILTER (kind = 'measurement_off'), 0)::BIGINT AS measurement_pauses,
    coalesce(sum(count) FILTER (kind = 'missing_records'), 0)::BIGINT AS missing_records,
    coalesce(sum(count) FILTER (kind = 'repeated_definition'), 0)::BIGINT AS repeated_definitions,
    coalesce(sum(count) FILTER (kind = 'invalid_text'), 0)::BIGINT AS invalid_texts,
    coalesce(sum(count) FILTER (kind = 'dropped_attribute'), 0)::BIGINT AS dropped_attributes,
    coalesce(sum(count) FILTER (kind = 'team_without_fork'), 0)::BIGINT AS teams_without_fork,
    coalesce(sum(count) FILTER (kind = 'unreadable_row'), 0)::BIGINT AS unreadable_rows,
    coalesce(sum(count) FILTER (kind = 'cut_input'), 0)::BIGINT AS cut_inputs,
    count(DISTINCT location_id) FILTER (kind = 'missing_location') AS missing_locations,
    count(DISTINCT location_id) FILTER (
        kind IN ('missing_location', 'missing_records')
    ) AS incomplete_locations,
    coalesce(sum(count), 0)::BIGINT AS findings
FROM trace_quality
