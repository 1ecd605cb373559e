-- Waiting in Chrome trace event format: complete events, with flows from the call that was late.
--
-- Events of the same time keep their order in viewers. So a flow ends in the wait that precedes it:
--
--     s  in the call that was waited for, at its begin
--     X  the wait, on the track of waiting of its location
--     f  at the end of the wait, or at the begin of that call, if later
--
-- Grain:      one row per wait that overlaps the window; two more for its flow
-- Inputs:     wait_states, metrics, visits, locations, call_paths
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, complete and flow events
WITH
    waits AS (
        SELECT
            row_number() OVER (ORDER BY location_id, start_ns, visit_id, property) AS wait_id,
            location_id,
            call_path_id,
            property,
            start_ns,
            wait_ns,
            cause_location_id,
            cause_visit_id,
            confidence
        FROM wait_states
        WHERE
            NOT is_completion
            AND start_ns < $window_end_ns::BIGINT
            AND start_ns + wait_ns >= $window_begin_ns::BIGINT
    ),

    -- Calls outside the window are not exported, so that no flow can begin there.
    causes AS (
        SELECT visits.visit_id, visits.call_path_id, visits.enter_ns
        FROM visits
        SEMI JOIN waits ON visits.visit_id = waits.cause_visit_id
        WHERE
            visits.enter_ns < $window_end_ns::BIGINT
            AND visits.leave_ns >= $window_begin_ns::BIGINT
    ),

    described AS (
        SELECT
            waits.wait_id,
            waits.start_ns,
            waits.wait_ns,
            causes.enter_ns AS cause_ns,
            coalesce(metrics.title, waits.property) AS name,
            victims.rank,
            victims.thread,
            late.rank AS late_rank,
            late.thread AS late_thread,
            {
                'seconds': waits.wait_ns / 1e9,
                'metric': waits.property,
                'call path': victim_paths.path,
                'waits for rank': late.rank,
                'waits for thread': late.name,
                'in call path': late_paths.path,
                'confidence in percent': waits.confidence
            } AS args
        FROM waits
        INNER JOIN locations AS victims ON waits.location_id = victims.location_id
        INNER JOIN locations AS late ON waits.cause_location_id = late.location_id
        LEFT JOIN metrics ON waits.property = metrics.metric
        LEFT JOIN causes ON waits.cause_visit_id = causes.visit_id
        LEFT JOIN call_paths AS victim_paths ON waits.call_path_id = victim_paths.call_path_id
        LEFT JOIN call_paths AS late_paths ON causes.call_path_id = late_paths.call_path_id
    ),

    events AS (
        SELECT
            wait_id,
            1 AS place,
            to_json({
                'ph': 'X', 'name': name, 'cat': 'waiting', 'pid': rank, 'tid': 1000000 + thread,
                'ts': start_ns / 1000, 'dur': wait_ns / 1000, 'args': args
            })::VARCHAR AS event
        FROM described
        UNION ALL
        SELECT
            wait_id,
            unnest([0, 2]) AS place,
            unnest([
                to_json({
                    'ph': 's', 'id': wait_id, 'name': 'cause', 'cat': 'waiting',
                    'pid': late_rank, 'tid': late_thread, 'ts': cause_ns / 1000
                })::VARCHAR,
                to_json({
                    'ph': 'f', 'bp': 'e', 'id': wait_id, 'name': 'cause', 'cat': 'waiting',
                    'pid': rank, 'tid': 1000000 + thread,
                    'ts': greatest(start_ns + wait_ns, cause_ns) / 1000
                })::VARCHAR
            ]) AS event
        FROM described
        WHERE cause_ns IS NOT NULL
    )

SELECT event
FROM events
ORDER BY wait_id, place
