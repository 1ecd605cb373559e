-- Locations that could take part in the computation of a call path, for each scope.
--
-- Grain:      one row per scope and location that belongs to it
-- Inputs:     locations
-- Output:     imbalance_scopes
-- Parameters: none
-- Source:     Scalasca, "computational load imbalance": over the locations of a program
-- Assumes:    the first thread of a process is its master
WITH
    threads AS (
        SELECT location_id, thread
        FROM locations
        WHERE kind IN ('cpu_thread', 'unknown')
    ),

    scopes AS (
        SELECT 'processes' AS scope, location_id FROM threads
        WHERE thread = 0
        UNION ALL
        SELECT 'threads', location_id FROM threads
        UNION ALL
        SELECT 'created threads', location_id FROM threads
        WHERE thread > 0
        UNION ALL
        SELECT 'streams', location_id FROM locations
        WHERE kind = 'gpu'
    )

SELECT scope, location_id
FROM scopes
ORDER BY scope, location_id
