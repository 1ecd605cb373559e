-- Places to look at first: the longest wait of each of the most expensive wait states, and the
-- longest segments of the critical path.
--
-- The call path is that of the call that waits, or in which a segment starts. A segment begins
-- where the wait at its start ends: the waiting is not on the path.
--
-- Grain:      one row per wait, or segment of the critical path, to look at
-- Inputs:     wait_states, metrics, critical_path_segments, locations, call_paths
-- Output:     report section timeline
-- Parameters: $row_limit  maximum number of rows, alternating between both kinds
--                         (BIGINT, default 8)
WITH
    kinds AS (
        SELECT
            property,
            sum(wait_ns) AS total_ns,
            max(wait_ns) AS longest_ns
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY property
    ),

    -- Only waits as long as the longest of their kind are put in order.
    worst_waits AS (
        SELECT
            waits.location_id,
            waits.call_path_id,
            waits.cause_location_id,
            waits.start_ns,
            waits.wait_ns,
            kinds.property,
            kinds.total_ns
        FROM wait_states AS waits
        INNER JOIN kinds ON waits.property = kinds.property AND waits.wait_ns = kinds.longest_ns
        WHERE NOT waits.is_completion
        QUALIFY row_number() OVER (PARTITION BY kinds.property ORDER BY waits.visit_id) = 1
    ),

    waits AS (
        SELECT
            'wait' AS kind,
            metrics.title,
            worst_waits.location_id,
            worst_waits.call_path_id,
            worst_waits.cause_location_id,
            worst_waits.start_ns AS begin_ns,
            worst_waits.start_ns + worst_waits.wait_ns AS end_ns,
            row_number() OVER (ORDER BY worst_waits.total_ns DESC, worst_waits.property) AS place
        FROM worst_waits
        INNER JOIN metrics ON worst_waits.property = metrics.metric
    ),

    longest_segments AS (
        SELECT
            ordinal,
            location_id,
            call_path_id,
            cause_location_id,
            begin_ns + wait_ns AS start_ns,
            end_ns
        FROM critical_path_segments
        WHERE end_ns > begin_ns + wait_ns
        ORDER BY end_ns - start_ns DESC, ordinal
        LIMIT $row_limit::BIGINT
    ),

    segments AS (
        SELECT
            'path' AS kind,
            'Critical path' AS title,
            location_id,
            call_path_id,
            cause_location_id,
            start_ns AS begin_ns,
            end_ns,
            row_number() OVER (ORDER BY end_ns - start_ns DESC, ordinal) AS place
        FROM longest_segments
    ),

    places AS (
        FROM waits
        UNION ALL
        FROM segments
    )

SELECT
    places.kind,
    places.title,
    locations.rank,
    locations.thread,
    causes.rank AS cause_rank,
    places.begin_ns,
    places.end_ns,
    places.end_ns - places.begin_ns AS length_ns,
    places.location_id,
    places.cause_location_id,
    call_paths.path AS call_path
FROM places
INNER JOIN locations ON places.location_id = locations.location_id
LEFT JOIN locations AS causes ON places.cause_location_id = causes.location_id
LEFT JOIN call_paths ON places.call_path_id = call_paths.call_path_id
ORDER BY places.place, places.kind DESC
LIMIT $row_limit::BIGINT
