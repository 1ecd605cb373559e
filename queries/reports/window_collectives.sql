-- Collectives in a window of the run, with begin and end of each member.
--
-- Grain:      one row per instance that overlaps the window and location that took part
-- Inputs:     collectives, collective_members
-- Output:     report section timeline
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
--             $row_limit        maximum number of members, longest instances first; the first
--                               instance is always complete (BIGINT, default 20000)
WITH
    found AS (
        SELECT
            collective_id,
            operation,
            begin_ns,
            end_ns,
            sum(member_count) OVER (
                ORDER BY end_ns - begin_ns DESC, collective_id
                ROWS UNBOUNDED PRECEDING
            ) AS counted,
            row_number() OVER (ORDER BY end_ns - begin_ns DESC, collective_id) AS place,
            sum(member_count) OVER () AS member_count
        FROM collectives
        WHERE
            begin_ns < $window_end_ns::BIGINT
            AND end_ns > $window_begin_ns::BIGINT
    )

SELECT
    found.collective_id,
    found.operation::VARCHAR AS operation,
    found.begin_ns AS first_ns,
    found.end_ns AS last_ns,
    members.location_id,
    members.begin_ns,
    members.end_ns,
    found.member_count::BIGINT AS member_count
FROM found
INNER JOIN collective_members AS members ON found.collective_id = members.collective_id
WHERE
    found.counted <= $row_limit::BIGINT
    -- One collective has at most as many members as there are locations.
    OR found.place = 1
ORDER BY found.collective_id, members.location_id
