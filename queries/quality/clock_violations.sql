-- Locations whose clocks contradict each other: a call ended before an event that it depends on.
--
-- Messages: the receive is recorded before the send. Collectives except scans: a member ended
-- before the last awaited member began. MPI_Init and MPI_Finalize: a process left before the last
-- one entered. Wait states then end with the call, and clipped time is the part that was cut off.
-- It is 0 if records contradict each other but no wait had to be cut.
--
-- Grain:      one row per location with violations
-- Inputs:     messages, synchronized_members, framing_calls
-- Needs rows: messages or synchronized_members or framing_calls
-- Output:     clock_violations
-- Parameters: none
-- Source:     Scalasca, "clock condition violations"
-- Assumes:    all processes call MPI_Init and MPI_Finalize together
WITH
    violating_messages AS (
        SELECT
            receiver_location_id AS location_id,
            greatest(send_post_enter_ns - receive_completion_leave_ns, 0) AS clipped_ns,
            send_ns - receive_ns AS late_ns
        FROM messages
        WHERE is_clock_violation
    ),

    violating_members AS (
        SELECT
            location_id,
            last_begin_ns - end_ns AS clipped_ns,
            clipped_ns AS late_ns
        FROM synchronized_members
        WHERE family NOT IN ('scan', 'neighbourhood') AND last_begin_ns > end_ns
    ),

    violating_frames AS (
        SELECT
            location_id,
            last_enter_ns - leave_ns AS clipped_ns,
            clipped_ns AS late_ns
        FROM framing_calls
        WHERE last_enter_ns > leave_ns
    ),

    violations AS (
        FROM violating_messages
        UNION ALL
        FROM violating_members
        UNION ALL
        FROM violating_frames
    )

SELECT
    location_id,
    count(*) AS violation_count,
    coalesce(sum(clipped_ns), 0)::BIGINT AS clipped_ns,
    max(late_ns) AS largest_ns
FROM violations
GROUP BY location_id
ORDER BY location_id
