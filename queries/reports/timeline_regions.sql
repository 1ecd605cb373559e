-- Regions of the timeline with their source locations and the overhead classes that color them.
--
-- Grain:      one row per region
-- Inputs:     regions, region_classes, overhead_classes
-- Output:     report section timeline
-- Parameters: none
SELECT
    regions.region_id,
    regions.name AS region,
    regions.file,
    regions.begin_line,
    CASE
        WHEN classes.overhead_class IS NULL THEN 'unidentified'
        WHEN classes.overhead_class = 'computation' THEN 'computation'
        ELSE coalesce(classes.overhead_subclass::VARCHAR, classes.overhead_class::VARCHAR)
    END AS part
FROM regions
LEFT JOIN region_classes ON regions.region_id = region_classes.region_id
LEFT JOIN overhead_classes AS classes ON region_classes.overhead_id = classes.overhead_id
ORDER BY regions.region_id
