-- Time on the critical path per call path and location.
--
-- The time that the path has spent on a location up to some moment grows while the path is there
-- and stays constant while it is elsewhere. The inclusive share of a visit is the difference
-- between its end and its begin; the shares of its callees are subtracted:
--
--     time    0         10        20        30
--     path    [=========]         [=========]       is here from 0 to 10 and from 20 to 30
--     main    [.............................]       share 20, minus 7 and 3: 10
--     work       [..............]                   from 3 to 18: 7
--     send                           [..]           from 23 to 26: 3
--
-- A parallel region lasts from the fork to the join.
--
-- The share within the main part is computed in the same way from what is left of the segments
-- there, without their waiting, which is at their begin.
--
-- To find the few visits that the path touches, time is divided into bins. A visit that lies in one
-- or two bins matters only if the path is in one of them.
--
-- Grain:      one row per call path and location with time on the critical path
-- Inputs:     critical_path_segments, visits, parallel_visits, task_calls, call_paths, main_part
-- Needs rows: critical_path_segments
-- Output:     critical_path_profile
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": critical-path profile
-- Assumes:    visits of a location are nested
WITH
    -- With too few bins every bin is touched; with too many, every visit spans more than two.
    bin_widths AS (
        SELECT
            greatest(
                (max(end_ns) - min(begin_ns)) // greatest(256, least(16384, count(*) // 8)), 1
            ) AS bin_ns
        FROM critical_path_segments
    ),

    bins AS (
        SELECT DISTINCT
            segments.location_id,
            unnest(
                range(segments.begin_ns // bin_ns, segments.end_ns // bin_ns + 1)
            ) AS bin
        FROM critical_path_segments AS segments
        CROSS JOIN bin_widths
    ),

    touched_visits AS (
        SELECT
            visits.location_id,
            visits.call_path_id,
            visits.parent_visit_id IS NULL AS is_start,
            1 AS sign,
            visits.enter_ns,
            visits.leave_ns
        FROM visits
        CROSS JOIN bin_widths
        WHERE
            (
                visits.leave_ns // bin_ns - visits.enter_ns // bin_ns > 1
                OR (visits.location_id, visits.enter_ns // bin_ns) IN (FROM bins)
                OR (visits.location_id, visits.leave_ns // bin_ns) IN (FROM bins)
            )
            AND visits.visit_id NOT IN (SELECT visit_id FROM parallel_visits)
        UNION ALL
        SELECT location_id, call_path_id, is_start, 1, fork_ns, join_ns FROM parallel_visits
        UNION ALL
        -- Tasks interrupt the construct that scheduled them, starting at the previous record.
        SELECT location_id, scheduling_call_path_id, TRUE, -1, since_ns, leave_ns FROM task_calls
        UNION ALL
        SELECT location_id, root_call_path_id, TRUE, 1, since_ns, enter_ns FROM task_calls
    ),

    active_segments AS (
        SELECT
            segments.location_id,
            greatest(segments.begin_ns + segments.wait_ns, main_part.begin_ns) AS begin_ns,
            least(segments.end_ns, main_part.end_ns) AS end_ns
        FROM critical_path_segments AS segments
        CROSS JOIN main_part
    ),

    -- If clocks disagree, the path may be on a location twice at the same time.
    changes AS (
        SELECT
            location_id,
            time_ns,
            sum(change)::BIGINT AS change,
            sum(main_change)::BIGINT AS main_change
        FROM (
            SELECT location_id, begin_ns AS time_ns, 1 AS change, 0 AS main_change
            FROM critical_path_segments
            UNION ALL
            SELECT location_id, end_ns, -1, 0 FROM critical_path_segments
            UNION ALL
            SELECT location_id, begin_ns, 0, 1 FROM active_segments WHERE begin_ns < end_ns
            UNION ALL
            SELECT location_id, end_ns, 0, -1 FROM active_segments WHERE begin_ns < end_ns
        )
        GROUP BY location_id, time_ns
    ),

    -- After a change, the path has been here for slope_ratio * time - offset_ns.
    slopes AS (
        SELECT
            location_id,
            time_ns,
            (sum(change) OVER until_now)::BIGINT AS slope_ratio,
            (sum(change * time_ns) OVER until_now)::BIGINT AS offset_ns,
            (sum(main_change) OVER until_now)::BIGINT AS main_slope_ratio,
            (sum(main_change * time_ns) OVER until_now)::BIGINT AS main_offset_ns
        FROM changes
        WINDOW until_now AS (
            PARTITION BY location_id ORDER BY time_ns ROWS UNBOUNDED PRECEDING
        )
    ),

    visit_shares AS (
        SELECT
            visits.location_id,
            visits.call_path_id,
            visits.is_start,
            visits.sign * (
                coalesce(at_leave.slope_ratio * visits.leave_ns - at_leave.offset_ns, 0)
                - coalesce(at_enter.slope_ratio * visits.enter_ns - at_enter.offset_ns, 0)
            ) AS share_ns,
            visits.sign * (
                coalesce(at_leave.main_slope_ratio * visits.leave_ns - at_leave.main_offset_ns, 0)
                - coalesce(at_enter.main_slope_ratio * visits.enter_ns - at_enter.main_offset_ns, 0)
            ) AS main_share_ns
        FROM touched_visits AS visits
        ASOF LEFT JOIN slopes AS at_leave
            ON visits.location_id = at_leave.location_id AND visits.leave_ns >= at_leave.time_ns
        ASOF LEFT JOIN slopes AS at_enter
            ON visits.location_id = at_enter.location_id AND visits.enter_ns >= at_enter.time_ns
    ),

    inclusive_times AS (
        SELECT
            location_id,
            call_path_id,
            sum(share_ns) AS time_ns,
            sum(main_share_ns) AS main_ns,
            coalesce(sum(share_ns) FILTER (WHERE NOT is_start), 0) AS called_ns,
            coalesce(sum(main_share_ns) FILTER (WHERE NOT is_start), 0) AS main_called_ns
        FROM visit_shares
        WHERE share_ns <> 0 OR main_share_ns <> 0
        GROUP BY location_id, call_path_id
    ),

    parts AS (
        SELECT location_id, call_path_id, time_ns, main_ns FROM inclusive_times
        UNION ALL
        SELECT
            inclusive_times.location_id,
            call_paths.parent_call_path_id,
            -inclusive_times.called_ns,
            -inclusive_times.main_called_ns
        FROM inclusive_times
        INNER JOIN call_paths USING (call_path_id)
        WHERE call_paths.parent_call_path_id IS NOT NULL
        UNION ALL
        SELECT location_id, call_path_id, -wait_ns, 0 FROM critical_path_segments
        WHERE wait_ns > 0
    )

SELECT
    call_path_id,
    location_id,
    sum(time_ns)::BIGINT AS path_ns,
    sum(main_ns)::BIGINT AS main_path_ns
FROM parts
GROUP BY call_path_id, location_id
HAVING path_ns <> 0
ORDER BY call_path_id, location_id
