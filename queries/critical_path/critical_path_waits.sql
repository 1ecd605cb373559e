-- Waiting on the critical path: waits at which the path does not move to the location that was
-- waited for.
--
-- At most wait states the path moves to the late location. At scans and extended wait states (not
-- in Scalasca) it stays, and the wait is part of its length. The time that the path has spent on a
-- location up to some moment grows while the path is there; the share of a wait is the difference
-- between its end and its begin:
--
--     time    0         10        20        30
--     path    [=========]         [..=======]       is here up to 10 and, after a wait, from 23
--     wait            [...........]                 from 8 to 20: 2
--     wait                           [...]          from 23 to 27: 4
--
-- Grain:      one row per property, call path, location and whether it is extended
-- Inputs:     critical_path_segments, wait_states
-- Needs rows: critical_path_segments, wait_states
-- Output:     critical_path_waits
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": wait states that move the path to another
--             location
-- Assumes:    the path is on a location once at a time, as is the case where clocks agree
WITH
    stays AS (
        SELECT
            location_id,
            begin_ns + wait_ns AS begin_ns,
            greatest(end_ns, begin_ns + wait_ns) AS end_ns
        FROM critical_path_segments
    ),

    lengths AS (
        SELECT
            location_id,
            begin_ns,
            max(end_ns) AS end_ns,
            sum(end_ns - begin_ns) AS length_ns
        FROM stays
        GROUP BY location_id, begin_ns
    ),

    sums AS (
        SELECT
            location_id,
            begin_ns,
            end_ns,
            sum(length_ns) OVER (
                PARTITION BY location_id ORDER BY begin_ns ROWS UNBOUNDED PRECEDING
            ) AS until_end_ns
        FROM lengths
    ),

    -- The path moved to the cause of these waits, so they are not part of it.
    followed AS (
        SELECT visit_id FROM critical_path_segments
        WHERE visit_id IS NOT NULL AND wait_ns > 0
    ),

    waits AS (
        SELECT
            property,
            call_path_id,
            location_id,
            is_extended,
            start_ns AS begin_ns,
            start_ns + wait_ns AS end_ns
        FROM wait_states
        WHERE
            NOT is_completion
            AND location_id IN (SELECT location_id FROM lengths)
            AND (is_extended OR visit_id NOT IN (FROM followed))
    ),

    shares AS (
        SELECT
            waits.*,
            coalesce(at_end.until_end_ns - greatest(at_end.end_ns - waits.end_ns, 0), 0)
            - coalesce(at_begin.until_end_ns - greatest(at_begin.end_ns - waits.begin_ns, 0), 0)
                AS share_ns
        FROM waits
        ASOF LEFT JOIN sums AS at_begin
            ON waits.location_id = at_begin.location_id AND waits.begin_ns >= at_begin.begin_ns
        ASOF LEFT JOIN sums AS at_end
            ON waits.location_id = at_end.location_id AND waits.end_ns >= at_end.begin_ns
    )

SELECT
    property,
    call_path_id,
    location_id,
    is_extended,
    sum(least(greatest(share_ns, 0), end_ns - begin_ns))::BIGINT AS path_ns
FROM shares
GROUP BY property, call_path_id, location_id, is_extended
HAVING path_ns > 0
ORDER BY property, call_path_id, location_id, is_extended
