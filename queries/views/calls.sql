-- Region visits with rank, thread, region and call path by name, in seconds, and their waiting.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per region visit
-- Inputs:     visits, regions, locations, call_paths, wait_states
-- Output:     calls
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH
    places AS (SELECT COLUMNS('^(run_id|location_id|rank|thread)$') FROM locations),

    named AS (
        SELECT COLUMNS('^(run_id|region_id|region)$')
        FROM (
            SELECT
                *,
                name AS region
            FROM regions
        )
    ),

    paths AS (
        SELECT COLUMNS('^(run_id|call_path_id|call_path)$')
        FROM (
            SELECT
                *,
                path AS call_path
            FROM call_paths
        )
    ),

    waited AS (
        SELECT
            COLUMNS('^(run_id|visit_id)$'),
            sum(wait_ns) AS wait_ns
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY ALL
    )

SELECT
    COLUMNS('^(run_id)$|^rank$|^thread$'),
    region,
    call_path,
    enter_ns / 1e9 AS begin_seconds,
    (leave_ns - enter_ns) / 1e9 AS seconds,
    exclusive_ns / 1e9 AS exclusive_seconds,
    coalesce(wait_ns, 0) / 1e9 AS wait_seconds,
    visit_id,
    parent_visit_id,
    location_id,
    call_path_id,
    region_id,
    enter_ns,
    leave_ns,
    exclusive_ns
FROM visits
NATURAL LEFT JOIN places
NATURAL LEFT JOIN named
NATURAL LEFT JOIN paths
NATURAL LEFT JOIN waited
