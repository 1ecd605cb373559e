-- Call paths with file and line: of the call site, else of the region, else of the caller.
--
-- Patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per call path
-- Inputs:     call_paths, regions, source_locations
-- Output:     call_path_sources
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH
    defined AS (
        SELECT
            COLUMNS('^(run_id|region_id)$'),
            region_id AS caller_region_id,
            file || ':' || begin_line AS region_source,
            file || ':' || begin_line AS caller_source
        FROM regions
    ),

    callees AS (SELECT COLUMNS('^(run_id|region_id|region_source)$') FROM defined),

    callers AS (SELECT COLUMNS('^(run_id|caller_region_id|caller_source)$') FROM defined),

    sites AS (
        SELECT
            COLUMNS('^(run_id|source_location_id)$'),
            file || ':' || line AS site_source
        FROM source_locations
    )

SELECT
    COLUMNS('^(run_id|call_path_id)$'),
    path AS call_path,
    coalesce(site_source, region_source, caller_source) AS source
FROM call_paths
NATURAL LEFT JOIN callees
NATURAL LEFT JOIN callers
NATURAL LEFT JOIN sites
