-- All metrics on all levels, primitive activities first, entities with the largest values first.
--
-- Grain:      one row per level, entity and metric with a value
-- Inputs:     hierarchy
-- Output:     command hierarchy
-- Parameters: none
-- Assumes:    nothing
SELECT
    level,
    entity,
    metric,
    parent_entity,
    value,
    unit,
    share
FROM hierarchy
ORDER BY
    level,
    metric <> 'main_ns',
    metric NOT LIKE '%\_ns' ESCAPE '\',
    metric,
    if(level IN ('process', 'thread'), try_cast(split_part(entity, ':', 1) AS INTEGER), NULL),
    if(level = 'thread', try_cast(split_part(entity, ':', 2) AS INTEGER), NULL),
    value DESC,
    entity
