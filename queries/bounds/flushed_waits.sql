-- Waits during which the measurement wrote its buffer, where the call waited or on the location
-- that it waited for.
--
--     cause                   [flush]  [ MPI_Send
--     waiting     [ MPI_Recv ...............]        overlap of the wait with flushes of both
--
-- Grain:      one row per wait
-- Inputs:     wait_states, measurement_gaps
-- Needs rows: measurement_gaps, wait_states
-- Output:     flushed_waits
-- Parameters: none
-- Source:     a flush is no work of the program: without it, who is waited for comes so much sooner
-- Assumes:    what a flush before the wait displaced is not known; flushes of a location follow
--             each other
WITH
    -- Time in flushes of a location until each one begins.
    flushes AS (
        SELECT
            location_id,
            begin_ns,
            end_ns,
            sum(end_ns - begin_ns) OVER of_location - end_ns + begin_ns AS before_ns
        FROM measurement_gaps
        WHERE kind = 'buffer_flush' AND end_ns > begin_ns
        WINDOW of_location AS (PARTITION BY location_id ORDER BY begin_ns, sequence)
    ),

    flushing AS (SELECT DISTINCT location_id FROM flushes),

    disturbed AS (
        SELECT
            property,
            visit_id,
            location_id,
            start_ns AS begin_ns,
            start_ns + wait_ns AS end_ns
        FROM wait_states
        SEMI JOIN flushing USING (location_id)
        UNION ALL
        SELECT
            waits.property,
            waits.visit_id,
            waits.cause_location_id,
            waits.start_ns,
            waits.start_ns + waits.wait_ns
        FROM wait_states AS waits
        SEMI JOIN flushing ON waits.cause_location_id = flushing.location_id
        WHERE waits.cause_location_id <> waits.location_id
    ),

    shared AS (
        SELECT
            disturbed.property,
            disturbed.visit_id,
            disturbed.end_ns - disturbed.begin_ns AS wait_ns,
            coalesce(
                last_ones.before_ns
                + least(disturbed.end_ns, last_ones.end_ns) - last_ones.begin_ns,
                0
            ) - coalesce(
                first_ones.before_ns
                + least(disturbed.begin_ns, first_ones.end_ns) - first_ones.begin_ns,
                0
            ) AS flush_ns
        FROM disturbed
        ASOF LEFT JOIN flushes AS first_ones
            ON
                disturbed.location_id = first_ones.location_id
                AND disturbed.begin_ns >= first_ones.begin_ns
        ASOF LEFT JOIN flushes AS last_ones
            ON
                disturbed.location_id = last_ones.location_id
                AND disturbed.end_ns >= last_ones.begin_ns
    )

SELECT
    property,
    visit_id,
    least(sum(flush_ns), any_value(wait_ns))::BIGINT AS flush_ns
FROM shared
GROUP BY property, visit_id
HAVING sum(flush_ns) > 0
ORDER BY property, visit_id
