-- Time of all locations together over the run, per class of overhead in equal bins.
--
-- A visit moves its location from its caller's class to its own class, and back at its end. So only
-- the end points of visits whose class differs from their caller's matter:
--
--     solve       [computation                 ]
--     MPI_Recv           [point-to-point]            point-to-point  +1 at 10, -1 at 28
--     bins       |0        |10       |20       |30   computation     -1 at 10, +1 at 28
--
-- The time of a class in a bin is the number of visits open at the beginning of the bin, times the
-- width of the bin, plus the change that each end point inside the bin makes until the end of the
-- bin. It is exact, in whole nanoseconds.
--
-- Bins are whole nanoseconds wide; the last one ends with the run.
--
-- Grain:      one row per bin and class that took time in it
-- Inputs:     visits, call_paths, region_classes, location_bases, class_changes, runs
-- Output:     time_profile
-- Parameters: $bin_count  number of bins; fewer if they would be shorter than a nanosecond
--                         (BIGINT, default 200)
-- Source:     Miller et al. 1990 (IPS-2), phase behavior: metrics over time
-- Assumes:    visits of a location are nested, except for tasks
WITH
    grid AS (
        SELECT
            begin_ns,
            end_ns,
            greatest((end_ns - begin_ns + $bin_count::BIGINT - 1) // $bin_count::BIGINT, 1)
                AS width_ns
        FROM runs
    ),

    -- Call paths whose class differs from that of their caller.
    borders AS (
        SELECT
            call_paths.call_path_id,
            own.overhead_id,
            caller.overhead_id AS caller_overhead_id
        FROM call_paths
        INNER JOIN region_classes AS own ON call_paths.region_id = own.region_id
        INNER JOIN region_classes AS caller ON call_paths.caller_region_id = caller.region_id
        WHERE own.overhead_id <> caller.overhead_id
    ),

    changes AS (
        SELECT
            borders.overhead_id,
            borders.caller_overhead_id,
            visits.enter_ns AS begin_ns,
            visits.leave_ns AS end_ns,
            1 AS change_count
        FROM visits
        INNER JOIN borders USING (call_path_id)
        UNION ALL
        -- Visits without a calling visit on the location take no time from a caller.
        SELECT
            coalesce(borders.caller_overhead_id, region_classes.overhead_id) AS overhead_id,
            location_bases.overhead_id AS caller_overhead_id,
            visits.enter_ns AS begin_ns,
            visits.leave_ns AS end_ns,
            1 AS change_count
        FROM visits
        INNER JOIN region_classes USING (region_id)
        INNER JOIN location_bases USING (location_id)
        LEFT JOIN borders USING (call_path_id)
        WHERE visits.parent_visit_id IS NULL
        UNION ALL
        SELECT
            overhead_id,
            caller_overhead_id,
            begin_ns,
            end_ns,
            change_count
        FROM class_changes
    ),

    placed AS (
        SELECT
            changes.overhead_id,
            changes.caller_overhead_id,
            (changes.begin_ns - grid.begin_ns) // grid.width_ns AS first_bin,
            (changes.end_ns - grid.begin_ns) // grid.width_ns AS last_bin,
            sum(changes.change_count)::BIGINT AS change_count,
            sum(
                changes.change_count
                * (grid.width_ns - (changes.begin_ns - grid.begin_ns) % grid.width_ns)
            )::BIGINT AS first_ns,
            sum(
                changes.change_count
                * (grid.width_ns - (changes.end_ns - grid.begin_ns) % grid.width_ns)
            )::BIGINT AS last_ns
        FROM changes
        CROSS JOIN grid
        GROUP BY ALL
    ),

    end_points AS (
        SELECT
            unnest([overhead_id, overhead_id, caller_overhead_id, caller_overhead_id])
                AS overhead_id,
            unnest([first_bin, last_bin, last_bin, first_bin]) AS bin,
            unnest([change_count, -change_count, change_count, -change_count]) AS visit_count,
            unnest([first_ns, -last_ns, last_ns, -first_ns]) AS time_ns
        FROM placed
    ),

    binned AS (
        SELECT
            overhead_id,
            bin,
            sum(visit_count) AS visit_count,
            sum(time_ns) AS time_ns
        FROM end_points
        WHERE overhead_id IS NOT NULL
        GROUP BY ALL
    ),

    classes AS (SELECT DISTINCT overhead_id FROM binned),

    bins AS (
        SELECT
            range AS bin,
            grid.begin_ns + range * grid.width_ns AS begin_ns,
            least(grid.begin_ns + (range + 1) * grid.width_ns, grid.end_ns) AS end_ns,
            grid.width_ns
        FROM range($bin_count::BIGINT)
        CROSS JOIN grid
        WHERE range * grid.width_ns < grid.end_ns - grid.begin_ns
    ),

    profiled AS (
        SELECT
            bins.bin,
            bins.begin_ns,
            bins.end_ns,
            classes.overhead_id,
            (
                coalesce(binned.time_ns, 0)
                + bins.width_ns * coalesce(
                    sum(binned.visit_count) OVER (
                        PARTITION BY classes.overhead_id ORDER BY bins.bin
                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                    ),
                    0
                )
            )::BIGINT AS time_ns
        FROM bins
        CROSS JOIN classes
        LEFT JOIN binned ON bins.bin = binned.bin AND classes.overhead_id = binned.overhead_id
    )

SELECT
    bin::INTEGER AS bin,
    begin_ns,
    end_ns,
    overhead_id,
    time_ns
FROM profiled
WHERE time_ns <> 0
ORDER BY bin, overhead_id
