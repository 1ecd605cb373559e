-- Time of each location per class of overhead.
--
-- Grain:      one row per location
-- Inputs:     location_overheads, overhead_classes, locations
-- Output:     report section overheads
-- Parameters: $row_limit  maximum number of locations (BIGINT)
WITH
    spent AS (
        SELECT
            location_overheads.location_id,
            classes.overhead_class,
            location_overheads.time_ns
        FROM location_overheads
        INNER JOIN overhead_classes AS classes
            ON location_overheads.overhead_id = classes.overhead_id
    ),

    divided AS (
        SELECT
            location_id,
            sum(time_ns) FILTER (WHERE overhead_class = 'computation') AS computation_ns,
            sum(time_ns) FILTER (WHERE overhead_class = 'data movement') AS data_movement_ns,
            sum(time_ns) FILTER (WHERE overhead_class = 'synchronisation') AS synchronization_ns,
            sum(time_ns) FILTER (WHERE overhead_class = 'control of parallelism') AS control_ns,
            sum(time_ns) FILTER (WHERE overhead_class = 'additional computation')
                AS additional_ns,
            sum(time_ns) FILTER (WHERE overhead_class = 'loss of parallelism') AS loss_ns,
            sum(time_ns) FILTER (WHERE overhead_class = 'unidentified') AS unidentified_ns
        FROM spent
        GROUP BY location_id
    )

SELECT
    locations.rank,
    locations.thread,
    coalesce(divided.computation_ns, 0)::BIGINT AS computation_ns,
    coalesce(divided.data_movement_ns, 0)::BIGINT AS data_movement_ns,
    coalesce(divided.synchronization_ns, 0)::BIGINT AS synchronization_ns,
    coalesce(divided.control_ns, 0)::BIGINT AS control_ns,
    coalesce(divided.additional_ns, 0)::BIGINT AS additional_ns,
    coalesce(divided.loss_ns, 0)::BIGINT AS loss_ns,
    coalesce(divided.unidentified_ns, 0)::BIGINT AS unidentified_ns
FROM divided
INNER JOIN locations ON divided.location_id = locations.location_id
ORDER BY locations.rank, locations.thread, divided.location_id
LIMIT $row_limit::BIGINT
