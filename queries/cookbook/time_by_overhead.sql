-- How is the time of all locations divided into computation and classes of overhead?
--
-- Grain:      one row per class of overhead that took time
-- Inputs:     overheads, overhead_classes
-- Output:     answer
-- Parameters: none
SELECT
    classes.overhead_class,
    classes.overhead_subclass,
    overheads.time_ns / 1e9 AS seconds,
    overheads.time_ratio
FROM overheads
INNER JOIN overhead_classes AS classes USING (overhead_id)
ORDER BY overheads.time_ns DESC, overheads.overhead_id
