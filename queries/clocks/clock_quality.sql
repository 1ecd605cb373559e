-- Changes by the correction of clocks, and the waiting that depends on it.
--
-- Waiting is touched if its message, collective, barrier, MPI_Init or MPI_Finalize has a record
-- that jumped, or if one of its two ends moved by more than a tenth of it:
--
--     receiver   [ waits ......... ]          moved here
--     sender                       [ sends    or here, at the end of the wait
--
-- Grain:      one row if times were corrected
-- Inputs:     clock_corrections, clock_jumps, locations, wait_states, visits
-- Needs rows: clock_corrections
-- Output:     clock_quality
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH
    knots AS (
        SELECT
            location_id,
            new_ns,
            new_ns - old_ns AS moved_ns,
            lead(new_ns) OVER of_location AS next_ns,
            lead(new_ns - old_ns) OVER of_location AS next_moved_ns
        FROM clock_corrections
        WINDOW of_location AS (PARTITION BY location_id ORDER BY old_ns, sequence)
    ),

    waits AS (
        SELECT * FROM wait_states
        WHERE NOT is_completion
    ),

    wait_ends AS (
        SELECT property, visit_id, wait_ns, location_id, start_ns AS time_ns
        FROM waits
        UNION ALL
        SELECT property, visit_id, wait_ns, cause_location_id, start_ns + wait_ns
        FROM waits
    ),

    moved_waits AS (
        SELECT DISTINCT wait_ends.property, wait_ends.visit_id
        FROM wait_ends
        ASOF INNER JOIN knots
            ON wait_ends.location_id = knots.location_id AND wait_ends.time_ns >= knots.new_ns
        WHERE
            coalesce(
                knots.moved_ns
                + (knots.next_moved_ns - knots.moved_ns)
                * (wait_ends.time_ns - knots.new_ns) / nullif(knots.next_ns - knots.new_ns, 0),
                knots.moved_ns
            ) > 0.1 * wait_ends.wait_ns
    ),

    ended_visits AS (
        SELECT visits.visit_id
        FROM visits
        INNER JOIN clock_jumps
            ON visits.location_id = clock_jumps.location_id AND visits.leave_ns = clock_jumps.new_ns
        WHERE clock_jumps.kind IN ('setup', 'finalize', 'barrier')
    ),

    touched_waits AS (
        SELECT wait_ns
        FROM waits
        LEFT JOIN moved_waits USING (property, visit_id)
        WHERE
            moved_waits.visit_id IS NOT NULL
            OR message_id IN (SELECT message_id FROM clock_jumps WHERE message_id IS NOT NULL)
            OR collective_id IN (
                SELECT collective_id FROM clock_jumps
                WHERE collective_id IS NOT NULL
            )
            OR visit_id IN (FROM ended_visits)
    )

SELECT
    (SELECT count(*) FROM clock_jumps) AS jump_count,
    (SELECT max(jump_ns) FROM clock_jumps) AS largest_jump_ns,
    (SELECT sum(moved_count)::BIGINT FROM locations) AS moved_count,
    max(moved_ns) AS largest_move_ns,
    (SELECT coalesce(sum(wait_ns), 0)::BIGINT FROM touched_waits) AS touched_ns,
    (SELECT coalesce(sum(wait_ns), 0)::BIGINT FROM waits) AS wait_ns
FROM knots
HAVING count(*) > 0
ORDER BY largest_move_ns
