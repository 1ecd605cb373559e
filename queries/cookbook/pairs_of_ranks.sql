-- What do ranks exchange: messages, waiting for each other, steps of the critical path?
--
-- Grain:      one row per pair of ranks
-- Inputs:     process_pairs
-- Output:     answer
-- Parameters: none
SELECT
    from_rank,
    to_rank,
    sum(message_count)::BIGINT AS message_count,
    sum(bytes)::BIGINT AS bytes,
    sum(wait_ns) / 1e9 AS wait_seconds,
    sum(path_jump_count)::BIGINT AS path_jump_count
FROM process_pairs
GROUP BY from_rank, to_rank
ORDER BY wait_seconds DESC, from_rank, to_rank
