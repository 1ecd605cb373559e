-- Region visits in Chrome trace event format: complete events, times in µs.
--
-- Callers precede their callees, also if both begin at the same time: viewers nest in that order.
--
-- Grain:      one row per region visit that overlaps the window
-- Inputs:     visits, regions, locations
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, complete events
-- Assumes:    visits are numbered by location and begin, callers first;
--             regions and locations are numbered from 0 without gaps
WITH
    -- Lists instead of joins, because joins would not keep the order.
    described AS (
        SELECT
            (SELECT list(name ORDER BY region_id) FROM regions) AS names,
            (SELECT list(paradigm::VARCHAR ORDER BY region_id) FROM regions) AS paradigms,
            (SELECT list(rank ORDER BY location_id) FROM locations) AS ranks,
            (SELECT list(thread ORDER BY location_id) FROM locations) AS threads
    ),

    entered AS (
        SELECT location_id, region_id, enter_ns, leave_ns
        FROM visits
        WHERE
            enter_ns < $window_end_ns::BIGINT
            AND leave_ns >= $window_begin_ns::BIGINT
        ORDER BY visit_id
    )

SELECT
    to_json({
        'ph': 'X',
        'name': described.names[entered.region_id + 1],
        'cat': described.paradigms[entered.region_id + 1],
        'pid': described.ranks[entered.location_id + 1],
        'tid': described.threads[entered.location_id + 1],
        'ts': entered.enter_ns / 1000,
        'dur': (entered.leave_ns - entered.enter_ns) / 1000
    })::VARCHAR AS event
FROM entered
CROSS JOIN described
