-- Program regions with the most overhead, including their callees.
--
-- Grain:      one row per region of the program
-- Inputs:     region_overheads, overhead_classes, region_classes, regions
-- Output:     report section overheads
-- Parameters: $row_limit  maximum number of regions, most overhead first (BIGINT)
WITH
    program_regions AS (
        SELECT region_classes.region_id
        FROM region_classes
        INNER JOIN overhead_classes ON region_classes.overhead_id = overhead_classes.overhead_id
        WHERE overhead_classes.overhead_class = 'computation'
    ),

    spent AS (
        SELECT
            region_overheads.region_id,
            classes.overhead_class,
            region_overheads.inclusive_ns
        FROM region_overheads
        SEMI JOIN program_regions ON region_overheads.region_id = program_regions.region_id
        INNER JOIN overhead_classes AS classes ON region_overheads.overhead_id = classes.overhead_id
    ),

    divided AS (
        SELECT
            region_id,
            sum(inclusive_ns) AS inclusive_ns,
            sum(inclusive_ns) FILTER (WHERE overhead_class <> 'computation') AS overhead_ns,
            sum(inclusive_ns) FILTER (WHERE overhead_class = 'data movement') AS data_movement_ns,
            sum(inclusive_ns) FILTER (WHERE overhead_class = 'synchronisation')
                AS synchronization_ns,
            sum(inclusive_ns) FILTER (WHERE overhead_class = 'control of parallelism')
                AS control_ns,
            sum(inclusive_ns) FILTER (WHERE overhead_class = 'loss of parallelism') AS loss_ns
        FROM spent
        GROUP BY region_id
    )

SELECT
    regions.name AS region,
    divided.inclusive_ns::BIGINT AS inclusive_ns,
    divided.overhead_ns::BIGINT AS overhead_ns,
    divided.overhead_ns / nullif(divided.inclusive_ns, 0) AS overhead_ratio,
    coalesce(divided.data_movement_ns, 0)::BIGINT AS data_movement_ns,
    coalesce(divided.synchronization_ns, 0)::BIGINT AS synchronization_ns,
    coalesce(divided.control_ns, 0)::BIGINT AS control_ns,
    coalesce(divided.loss_ns, 0)::BIGINT AS loss_ns
FROM divided
INNER JOIN regions ON divided.region_id = regions.region_id
WHERE divided.overhead_ns > 0
ORDER BY divided.overhead_ns DESC, divided.region_id
LIMIT $row_limit::BIGINT
