-- Time of the run per class of overhead, with the location that has most of each.
--
-- Grain:      one row per class that took time
-- Inputs:     overheads, overhead_classes, location_overheads, locations
-- Output:     report section overheads
-- Parameters: none
-- Assumes:    of equals, the location with the smallest number counts
WITH
    -- One row per class and location; place 1 has the most time.
    placed AS (
        SELECT
            spent.overhead_id,
            locations.rank,
            locations.thread,
            row_number() OVER (
                PARTITION BY spent.overhead_id ORDER BY spent.time_ns DESC, spent.location_id
            ) AS place
        FROM location_overheads AS spent
        INNER JOIN locations ON spent.location_id = locations.location_id
    )

SELECT
    classes.overhead_class::VARCHAR AS overhead_class,
    classes.overhead_subclass::VARCHAR AS overhead_subclass,
    overheads.time_ns,
    overheads.time_ratio,
    overheads.mean_ns,
    placed.rank AS worst_rank,
    placed.thread AS worst_thread,
    overheads.longest_ns AS worst_ns
FROM overheads
INNER JOIN overhead_classes AS classes ON overheads.overhead_id = classes.overhead_id
INNER JOIN placed ON overheads.overhead_id = placed.overhead_id AND placed.place = 1
ORDER BY overheads.time_ns DESC, overheads.overhead_id
