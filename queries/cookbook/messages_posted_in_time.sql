-- How many receives were posted before their message was sent, so that the sender did not have to
-- wait?
--
-- Grain:      one row per call path that receives
-- Inputs:     messages, call_paths
-- Output:     answer
-- Parameters: none
-- Assumes:    clocks are synchronized
SELECT
    call_paths.path AS call_path,
    count(*) AS message_count,
    count_if(messages.receive_post_enter_ns <= messages.send_post_enter_ns) AS in_time_count,
    count_if(messages.receive_post_enter_ns <= messages.send_post_enter_ns) / count(*)
        AS in_time_ratio
FROM messages
INNER JOIN call_paths ON messages.receive_post_call_path_id = call_paths.call_path_id
GROUP BY call_paths.call_path_id, call_paths.path
ORDER BY message_count DESC, call_paths.call_path_id
