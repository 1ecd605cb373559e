-- Iterations and phases in Chrome trace event format: complete events on tracks of their own.
--
-- Grain:      one row per iteration of a process, and per phase, that overlaps the window
-- Inputs:     iterations, phases, locations, location_groups
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, complete events
WITH
    whole AS (SELECT max(rank) + 1 AS rank FROM locations),

    parts AS (
        SELECT
            location_groups.rank,
            2000000 AS track,
            'iteration' AS cat,
            'iteration ' || iterations.iteration AS name,
            iterations.iteration AS number,
            NULL AS kind,
            iterations.begin_ns,
            iterations.end_ns,
            iterations.wait_ns
        FROM iterations
        INNER JOIN location_groups
            ON iterations.location_group_id = location_groups.location_group_id
        UNION ALL
        SELECT
            whole.rank,
            1 AS track,
            'phase' AS cat,
            'phase ' || phases.phase || ', kind ' || phases.kind AS name,
            phases.phase AS number,
            phases.kind,
            phases.begin_ns,
            phases.end_ns,
            phases.wait_ns
        FROM phases
        CROSS JOIN whole
        WHERE phases.threshold = 0.25
    )

SELECT
    to_json({
        'ph': 'X',
        'name': name,
        'cat': cat,
        'pid': rank,
        'tid': track,
        'ts': begin_ns / 1000,
        'dur': (end_ns - begin_ns) / 1000,
        'args': {
            'seconds': (end_ns - begin_ns) / 1e9, 'number': number, 'kind': kind,
            'waiting in seconds': wait_ns / 1e9
        }
    })::VARCHAR AS event
FROM parts
WHERE
    begin_ns < $window_end_ns::BIGINT
    AND end_ns >= $window_begin_ns::BIGINT
ORDER BY rank, track, number
