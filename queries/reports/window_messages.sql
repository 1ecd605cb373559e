-- Messages that were in transit in a window of the run.
--
-- Grain:      one row per matched message whose records enclose a part of the window
-- Inputs:     messages
-- Output:     report section timeline
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
--             $row_limit        maximum number of messages, longest transit first
--                               (BIGINT, default 10000)
WITH
    longest AS (
        SELECT
            message_id,
            sender_location_id,
            receiver_location_id,
            send_ns,
            receive_ns,
            bytes,
            tag
        FROM messages
        WHERE
            least(send_ns, receive_ns) < $window_end_ns::BIGINT
            AND greatest(send_ns, receive_ns) > $window_begin_ns::BIGINT
        ORDER BY abs(receive_ns - send_ns) DESC, message_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    message_id,
    sender_location_id,
    receiver_location_id,
    send_ns,
    receive_ns,
    bytes,
    tag
FROM longest
ORDER BY send_ns, message_id
