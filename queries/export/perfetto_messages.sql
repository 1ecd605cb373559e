-- Messages in Chrome trace event format: flow events from the send to the receive.
--
-- Grain:      two rows, begin and end, per message in transit in the window
-- Inputs:     messages, locations
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, flow events
WITH
    flows AS (
        SELECT
            message_id,
            bytes,
            tag,
            unnest(['s', 'f']) AS phase,
            unnest([sender_location_id, receiver_location_id]) AS location_id,
            unnest([send_ns, receive_ns]) AS time_ns
        FROM messages
        WHERE
            least(send_ns, receive_ns) < $window_end_ns::BIGINT
            AND greatest(send_ns, receive_ns) >= $window_begin_ns::BIGINT
    )

SELECT
    to_json({
        'ph': flows.phase,
        'bp': 'e',
        'id': flows.message_id,
        'name': 'message',
        'cat': 'message',
        'pid': locations.rank,
        'tid': locations.thread,
        'ts': flows.time_ns / 1000,
        'args': {'bytes': flows.bytes, 'tag': flows.tag}
    })::VARCHAR AS event
FROM flows
INNER JOIN locations ON flows.location_id = locations.location_id
ORDER BY flows.message_id, flows.phase DESC
