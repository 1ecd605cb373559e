-- Distribution of message sizes.
--
-- Grain:      one row per size class that occurs
-- Inputs:     message_sizes
-- Output:     report section communication
-- Parameters: none
SELECT
    lower_bytes,
    upper_bytes,
    message_count,
    message_count / nullif(sum(message_count) OVER (), 0) AS message_ratio,
    bytes,
    bytes / nullif(sum(bytes) OVER (), 0) AS bytes_ratio
FROM message_sizes
ORDER BY lower_bytes
