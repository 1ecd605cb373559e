-- Names, source locations and overhead classes of call paths for exploration.
--
-- Grain:      one row per region and call site of a call path
-- Inputs:     call_paths, regions, source_locations, region_classes, overhead_classes
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    nothing
WITH callees AS (SELECT DISTINCT region_id, source_location_id FROM call_paths)

SELECT
    callees.region_id,
    callees.source_location_id,
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
FROM callees
INNER JOIN regions ON callees.region_id = regions.region_id
LEFT JOIN source_locations ON callees.source_location_id = source_locations.source_location_id
LEFT JOIN region_classes ON callees.region_id = region_classes.region_id
LEFT JOIN overhead_classes AS classes ON region_classes.overhead_id = classes.overhead_id
ORDER BY callees.region_id, callees.source_location_id NULLS FIRST
