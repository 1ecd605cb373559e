-- Late Sender waits during which an older message could have been received instead.
--
-- A wait is marked by the next message that its location receives after it and that was sent
-- earlier, also if MPI_Test receives it:
--
--     received   1st  2nd  3rd  4th
--     sent at     50   30   40   10      50 is marked by 30, the waits for 30 and 40 by 10
--
-- Each location keeps a first-in-first-out list of its latest unmarked waits. The list is as long
-- as in Scalasca's analyzer, so that results can be compared; $remembered_waits = 0 removes the
-- limit.
--
-- Grain:      one row per awaited message that was received in the wrong order
-- Inputs:     messages, awaited_messages
-- Needs rows: awaited_messages
-- Output:     wrong_order
-- Parameters: $remembered_waits  unmarked waits that a location remembers, 0 for no limit
--                                (BIGINT, default 100)
-- Source:     Scalasca pattern reference, "MPI Late Sender, Wrong Order Time"
-- Assumes:    clocks are synchronized
WITH
    -- A wait is placed after the last message of its call, so that messages of one call never mark
    -- each other.
    awaited AS (
        SELECT
            awaited_messages.location_id,
            awaited_messages.message_id,
            2 * max(messages.receive_sequence) + 1 AS position
        FROM awaited_messages
        INNER JOIN messages
            ON awaited_messages.visit_id = messages.receive_completion_visit_id
        GROUP BY awaited_messages.location_id, awaited_messages.message_id
    ),

    deliveries AS (
        SELECT
            receiver_location_id AS location_id,
            2 * receive_sequence AS position,
            send_ns,
            sender_group_id,
            NULL::BIGINT AS message_id
        FROM messages
        WHERE receiver_location_id IN (SELECT location_id FROM awaited)
        UNION ALL
        SELECT
            awaited.location_id,
            awaited.position,
            messages.send_ns,
            messages.sender_group_id,
            awaited.message_id
        FROM awaited
        INNER JOIN messages USING (message_id)
    ),

    -- Among messages sent earlier (the frame), the next one received.
    marked AS (
        SELECT
            location_id,
            message_id,
            position,
            sender_group_id,
            lead({'position': position, 'sender_group_id': sender_group_id} ORDER BY position)
                OVER (
                    PARTITION BY location_id
                    ORDER BY send_ns, position
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                ) AS marker
        FROM deliveries
        QUALIFY message_id IS NOT NULL
    ),

    numbered AS (
        SELECT
            *,
            row_number() OVER (PARTITION BY location_id ORDER BY position) AS number
        FROM marked
    ),

    -- To find the list at each wait, order the waits by the time at which they are marked and
    -- insert each wait again at its own time: the frame then holds the waits that are unmarked at
    -- that time.
    unmarked AS (
        SELECT
            location_id,
            number,
            2 * number AS place,
            coalesce(marker.position, 9223372036854775807) AS until_position
        FROM numbered
        WHERE $remembered_waits::BIGINT > 0
        UNION ALL
        SELECT
            location_id,
            NULL AS number,
            2 * number + 1 AS place,
            position AS until_position
        FROM numbered
        WHERE $remembered_waits::BIGINT > 0
    ),

    oldest_waits AS (
        SELECT
            location_id,
            number,
            until_position AS position,
            lag(number, $remembered_waits::BIGINT ORDER BY place IGNORE NULLS) OVER (
                PARTITION BY location_id
                ORDER BY until_position DESC, place
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS oldest_number
        FROM unmarked
        QUALIFY number IS NULL
    ),

    -- A wait dropped from the list does not come back when other waits are marked.
    memories AS (
        SELECT
            location_id,
            position,
            max(oldest_number) OVER (PARTITION BY location_id ORDER BY position) AS oldest_number
        FROM oldest_waits
    )

SELECT
    numbered.message_id,
    numbered.sender_group_id = numbered.marker.sender_group_id AS is_same_sender
FROM numbered
ASOF LEFT JOIN memories
    ON
        numbered.location_id = memories.location_id
        AND numbered.marker.position >= memories.position
WHERE
    numbered.marker IS NOT NULL
    AND numbered.number >= coalesce(memories.oldest_number, 0)
ORDER BY numbered.message_id
