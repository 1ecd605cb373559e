-- Names and order of processes and tracks in Chrome trace event format, in order of rank.
--
-- Every location has a track with the number of its thread, and one 1,000,000 above for waiting.
-- Track 2,000,000 of a process has its iterations. A process after the last rank has the tracks of
-- the whole run: 0 the critical path, 1 the phases.
--
-- Grain:      two rows, name and position, per process and per track
-- Inputs:     locations, location_groups, wait_states, iterations, critical_path_segments, phases
-- Output:     export perfetto
-- Parameters: none
-- Source:     Trace Event Format, metadata events
WITH
    whole AS (SELECT max(rank) + 1 AS rank FROM locations),

    named AS (
        SELECT DISTINCT
            location_groups.rank,
            NULL AS track,
            location_groups.rank + 1 AS place,
            location_groups.name
        FROM locations
        INNER JOIN location_groups
            ON locations.location_group_id = location_groups.location_group_id
        WHERE location_groups.kind <> 'accelerator'
        UNION ALL
        SELECT rank, thread AS track, 2 * thread + 1 AS place, name
        FROM locations
        WHERE kind <> 'metric' OR visit_count > 0
        UNION ALL
        SELECT rank, 1000000 + thread AS track, 2 * thread + 2 AS place, name || ': waiting' AS name
        FROM locations
        SEMI JOIN wait_states
            ON
                locations.location_id = wait_states.location_id
                AND NOT wait_states.is_completion
        UNION ALL
        SELECT DISTINCT
            location_groups.rank,
            2000000 AS track,
            0 AS place,
            'iterations' AS name
        FROM location_groups
        SEMI JOIN iterations ON location_groups.location_group_id = iterations.location_group_id
        UNION ALL
        SELECT
            whole.rank,
            unnest([NULL, 0, 1]) AS track,
            unnest([0, 0, 1]) AS place,
            unnest(['whole run', 'critical path', 'phases']) AS name
        FROM whole
        WHERE
            EXISTS (SELECT 1 FROM critical_path_segments)
            OR EXISTS (SELECT 1 FROM phases)
    ),

    described AS (
        SELECT
            *,
            if(track IS NULL, 'process', 'thread') AS what,
            coalesce(track, 0) AS tid
        FROM named
    )

SELECT
    unnest([
        to_json({
            'ph': 'M', 'name': what || '_name', 'pid': rank, 'tid': tid, 'args': {'name': name}
        })::VARCHAR,
        to_json({
            'ph': 'M', 'name': what || '_sort_index', 'pid': rank, 'tid': tid,
            'args': {'sort_index': place}
        })::VARCHAR
    ]) AS event
FROM described
ORDER BY rank, what, tid, name, place, event
