-- The critical path in Chrome trace event format: complete events on a track of the whole run.
--
-- A segment begins where the wait at its start ends: the waiting is not on the path.
--
-- Grain:      one row per segment of the critical path that overlaps the window
-- Inputs:     critical_path_segments, locations, location_groups
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, complete events
WITH
    whole AS (SELECT max(rank) + 1 AS rank FROM locations),

    passed AS (
        SELECT *, begin_ns + wait_ns AS start_ns
        FROM critical_path_segments
        WHERE
            begin_ns + wait_ns < $window_end_ns::BIGINT
            AND end_ns >= $window_begin_ns::BIGINT
    )

SELECT
    to_json({
        'ph': 'X',
        'name': location_groups.name || if(locations.thread = 0, '', ': ' || locations.name),
        'cat': 'critical path',
        'pid': whole.rank,
        'tid': 0,
        'ts': passed.start_ns / 1000,
        'dur': (passed.end_ns - passed.start_ns) / 1000,
        'args': {
            'seconds': (passed.end_ns - passed.start_ns) / 1e9,
            'rank': locations.rank,
            'thread': locations.thread,
            'begins after': passed.kind::VARCHAR
        }
    })::VARCHAR AS event
FROM passed
INNER JOIN locations ON passed.location_id = locations.location_id
INNER JOIN location_groups ON locations.location_group_id = location_groups.location_group_id
CROSS JOIN whole
ORDER BY passed.ordinal
