-- Distribution of message sizes, in classes of powers of two: 0, 1, 2–3, 4–7, 8–15, …
--
-- Grain:      one row per size class that occurs
-- Inputs:     messages
-- Needs rows: messages
-- Output:     message_sizes
-- Parameters: none
-- Source:     the message statistics of Vampir and other tools
-- Assumes:    nothing; sends without a receive are not counted
WITH
    sizes AS (
        SELECT
            bytes,
            count(*) AS message_count
        FROM messages
        GROUP BY bytes
    ),

    -- 5 is 101 in binary: three digits, so its class starts at 2**2.
    classes AS (
        SELECT
            if(bytes = 0, 0, 1::BIGINT << (length(bin(bytes)) - 1)) AS lower_bytes,
            sum(message_count)::BIGINT AS message_count,
            sum(message_count * bytes)::BIGINT AS bytes
        FROM sizes
        GROUP BY lower_bytes
    )

SELECT
    lower_bytes,
    greatest(2 * lower_bytes - 1, 0) AS upper_bytes,
    message_count,
    bytes
FROM classes
ORDER BY lower_bytes
