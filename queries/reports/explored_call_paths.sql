-- The call tree for exploration: callers, source locations and overhead classes.
--
-- Grain:      one row per call path
-- Inputs:     call_paths, regions, source_locations, region_classes, overhead_classes
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    call paths are numbered depth-first
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
FROM call_paths
INNER JOIN regions ON call_paths.region_id = regions.region_id
LEFT JOIN source_locations
    ON call_paths.source_location_id = source_locations.source_location_id
LEFT JOIN region_classes ON call_paths.region_id = region_classes.region_id
LEFT JOIN overhead_classes AS classes ON region_classes.overhead_id = classes.overhead_id
ORDER BY call_paths.call_path_id
