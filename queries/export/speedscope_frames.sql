-- Frames of a profile for speedscope: regions with their place in the source code.
--
-- Grain:      one row per region
-- Inputs:     regions
-- Output:     export speedscope
-- Parameters: none
-- Source:     file format of speedscope
SELECT
    name,
    nullif(file, '') AS file,
    nullif(begin_line, 0) AS line
FROM regions
ORDER BY region_id
