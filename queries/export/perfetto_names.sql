-- Names of processes and threads in Chrome trace event format, in order of rank.
--
-- Grain:      one row per process, and one per location
-- Inputs:     locations, location_groups
-- Output:     export perfetto
-- Parameters: none
-- Source:     Trace Event Format, metadata events
WITH
    names AS (
        SELECT DISTINCT
            location_groups.rank,
            -1 AS thread,
            'process_name' AS kind,
            location_groups.name
        FROM locations
        INNER JOIN location_groups
            ON locations.location_group_id = location_groups.location_group_id
        WHERE location_groups.kind <> 'accelerator'
        UNION ALL
        SELECT rank, thread, 'thread_name' AS kind, name
        FROM locations
    )

SELECT
    to_json({
        'ph': 'M',
        'name': kind,
        'pid': rank,
        'tid': greatest(thread, 0),
        'args': {'name': name}
    })::VARCHAR AS event
FROM names
ORDER BY rank, thread, name
