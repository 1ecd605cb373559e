-- Region visits in Chrome trace event format: complete events, times in µs.
--
-- Rows keep their stored order, by location and leave time, which needs no sorting.
--
-- Grain:      one row per region visit that overlaps the window
-- Inputs:     visits, regions, locations
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, complete events
-- Assumes:    regions and locations are numbered from 0 without gaps
WITH
    -- Lists instead of joins, because joins would not keep the order.
    described AS (
        SELECT
            (SELECT list(name ORDER BY region_id) FROM regions) AS names,
            (SELECT list(paradigm::VARCHAR ORDER BY region_id) FROM regions) AS paradigms,
            (SELECT list(rank ORDER BY location_id) FROM locations) AS ranks,
            (SELECT list(thread ORDER BY location_id) FROM locations) AS threads
    )

SELECT
    to_json({
        'ph': 'X',
        'name': described.names[visits.region_id + 1],
        'cat': described.paradigms[visits.region_id + 1],
        'pid': described.ranks[visits.location_id + 1],
        'tid': described.threads[visits.location_id + 1],
        'ts': visits.enter_ns / 1000,
        'dur': (visits.leave_ns - visits.enter_ns) / 1000
    })::VARCHAR AS event
FROM visits
CROSS JOIN described
WHERE
    visits.enter_ns < $window_end_ns::BIGINT
    AND visits.leave_ns >= $window_begin_ns::BIGINT
