-- The shown part of the call tree for exploration: callers, source locations, overhead classes.
--
-- Grain:      one row per call path that a page shows
-- Inputs:     call_path_totals, call_paths, regions, source_locations, region_classes,
--             overhead_classes
-- Output:     report section exploration
-- Parameters: $row_limit  maximum number of call paths, most inclusive time first (BIGINT)
-- Assumes:    call paths are numbered depth-first
WITH
    -- The same as in explored_cells.
    shown AS (
        SELECT call_paths.call_path_id
        FROM call_paths
        LEFT JOIN call_path_totals AS totals USING (call_path_id)
        ORDER BY totals.inclusive_ns DESC NULLS LAST, call_paths.call_path_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    call_paths.call_path_id,
    call_paths.parent_call_path_id,
    call_paths.kind::VARCHAR AS kind,
    call_paths.region_id,
    regions.name || coalesce(
        ' @' || parse_filename(source_locations.file) || ':' || source_locations.line, ''
    ) AS region,
    coalesce(source_locations.file, regions.file) AS file,
    coalesce(source_locations.line, regions.begin_line) AS begin_line,
    if(
        classes.overhead_class = 'computation',
        'computation',
        classes.overhead_subclass::VARCHAR
    ) AS part
FROM shown
INNER JOIN call_paths ON shown.call_path_id = call_paths.call_path_id
INNER JOIN regions ON call_paths.region_id = regions.region_id
LEFT JOIN source_locations
    ON call_paths.source_location_id = source_locations.source_location_id
LEFT JOIN region_classes ON call_paths.region_id = region_classes.region_id
LEFT JOIN overhead_classes AS classes ON region_classes.overhead_id = classes.overhead_id
ORDER BY call_paths.call_path_id
