-- Waiting with rank, thread, call path and cause by name, in seconds.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per visit and property with waiting; completion is left out
-- Inputs:     main_waits, metrics, locations, call_paths, visits
-- Output:     waits
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH
    titles AS (
        SELECT COLUMNS('^(run_id|kind|title)$')
        FROM (SELECT * REPLACE (metric AS kind) FROM metrics)
    ),

    victims AS (SELECT COLUMNS('^(run_id|location_id|rank|thread)$') FROM locations),

    awaited AS (
        SELECT COLUMNS('^(run_id|cause_location_id|cause_rank|cause_thread)$')
        FROM (
            SELECT
                *,
                location_id AS cause_location_id,
                rank AS cause_rank,
                thread AS cause_thread
            FROM locations
        )
    ),

    paths AS (
        SELECT
            *,
            path AS call_path,
            path AS cause_call_path,
            call_path_id AS cause_call_path_id
        FROM call_paths
    ),

    causes AS (
        SELECT COLUMNS('^(run_id|cause_visit_id|cause_call_path)$')
        FROM (
            SELECT COLUMNS('^(run_id|cause_visit_id|cause_call_path_id)$')
            FROM (
                SELECT
                    *,
                    visit_id AS cause_visit_id,
                    call_path_id AS cause_call_path_id
                FROM visits
            )
        )
        NATURAL INNER JOIN (
            SELECT COLUMNS('^(run_id|cause_call_path_id|cause_call_path)$') FROM paths
        )
    )

SELECT
    COLUMNS('^(run_id|rank|thread)$'),
    coalesce(title, kind) AS wait_state,
    call_path,
    start_ns / 1e9 AS begin_seconds,
    wait_ns / 1e9 AS seconds,
    main_ns / 1e9 AS main_seconds,
    cause_rank,
    cause_thread,
    cause_call_path,
    property,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    wait_ns,
    cause_location_id,
    cause_visit_id,
    message_id,
    collective_id,
    is_synchronization,
    is_extended,
    confidence,
    kind,
    main_ns
FROM main_waits
NATURAL LEFT JOIN titles
NATURAL LEFT JOIN victims
NATURAL LEFT JOIN (SELECT COLUMNS('^(run_id|call_path_id|call_path)$') FROM paths)
NATURAL LEFT JOIN awaited
NATURAL LEFT JOIN causes
