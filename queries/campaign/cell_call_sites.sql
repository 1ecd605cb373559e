-- Call paths that lose time in a cell of the scalability grid.
--
-- Efficiency falls as the time that all locations spend on the same work grows. That time is the
-- sum over call paths, so its growth can be divided among them:
--
--     corner   location time   MPI_Wait     p = 4 to 8 at this size
--     4, n          100 s         10 s      loss of MPI_Wait  (30 - 10) / 100 = 0.2
--     8, n          125 s         30 s      loss of the run   (125 - 100) / 100 = 0.25
--
-- Grain:      one row per application, cell and call path with a loss
-- Inputs:     grid_cells, efficiency_grid, run_totals, counted_call_paths, campaign_call_paths,
--             waiting_causes
-- Output:     cell_call_sites
-- Parameters: $min_cell_loss  smaller losses are left out (DOUBLE, default 0.001)
-- Source:     Teplov 2014 on cells; efficiency is work divided by time and processes
-- Assumes:    locations spend their time in call paths
WITH
    -- Of sizes with the same amount of computation, the best run counts, as in the grid.
    corners AS (
        SELECT
            cells.application,
            cells.lower_processes,
            cells.lower_size,
            2 * (grid.processes = cells.upper_processes)::INTEGER
            + (if(cells.size_axis = 'size', grid.size, grid.computation_size) = cells.upper_size)
            ::INTEGER AS corner,
            grid.processes,
            grid.size,
            grid.campaign_run_id,
            grid.computation_size
        FROM grid_cells AS cells
        INNER JOIN efficiency_grid AS grid
            ON
                cells.application = grid.application
                AND grid.processes IN (cells.lower_processes, cells.upper_processes)
                AND if(cells.size_axis = 'size', grid.size, grid.computation_size)
                IN (cells.lower_size, cells.upper_size)
        QUALIFY
            row_number() OVER (
                PARTITION BY cells.application, cells.lower_processes, cells.lower_size, corner
                ORDER BY grid.efficiency DESC NULLS LAST, grid.size
            ) = 1
    ),

    points AS (
        SELECT
            corners.*,
            totals.location_ns,
            totals.critical_path_ns
        FROM corners
        INNER JOIN run_totals AS totals ON corners.campaign_run_id = totals.campaign_run_id
        WHERE totals.location_ns > 0
    ),

    -- Corners: 0 is (p1, d1), 1 is (p1, d2), 2 is (p2, d1) and 3 is (p2, d2).
    complete AS (
        SELECT
            application,
            lower_processes,
            lower_size,
            max(location_ns) FILTER (WHERE corner = 0) AS all_0,
            max(location_ns) FILTER (WHERE corner = 1) AS all_1,
            max(location_ns) FILTER (WHERE corner = 2) AS all_2,
            max(location_ns) FILTER (WHERE corner = 3) AS all_3,
            -- Factor that converts time at the larger size to time at the smaller size.
            max(computation_size) FILTER (WHERE corner = 0)
            / max(computation_size) FILTER (WHERE corner = 1) AS size_ratio,
            sum(critical_path_ns) AS critical_path_ns
        FROM points
        GROUP BY application, lower_processes, lower_size
        HAVING
            count(DISTINCT corner) = 4
            AND max(computation_size) FILTER (WHERE corner = 1) > 0
    ),

    spent AS (
        SELECT
            points.application,
            points.lower_processes,
            points.lower_size,
            paths.call_path_key,
            coalesce(sum(paths.exclusive_ns) FILTER (WHERE points.corner = 0), 0) AS time_0,
            coalesce(sum(paths.exclusive_ns) FILTER (WHERE points.corner = 1), 0) AS time_1,
            coalesce(sum(paths.exclusive_ns) FILTER (WHERE points.corner = 2), 0) AS time_2,
            coalesce(sum(paths.exclusive_ns) FILTER (WHERE points.corner = 3), 0) AS time_3,
            coalesce(sum(paths.wait_ns) FILTER (WHERE points.corner = 0), 0) AS wait_0,
            coalesce(sum(paths.wait_ns) FILTER (WHERE points.corner = 1), 0) AS wait_1,
            coalesce(sum(paths.wait_ns) FILTER (WHERE points.corner = 2), 0) AS wait_2,
            coalesce(sum(paths.wait_ns) FILTER (WHERE points.corner = 3), 0) AS wait_3,
            sum(paths.critical_path_ns) AS critical_path_ns
        FROM points
        INNER JOIN counted_call_paths AS paths USING (campaign_run_id)
        GROUP BY
            points.application, points.lower_processes, points.lower_size, paths.call_path_key
    ),

    lost AS (
        SELECT
            spent.application,
            spent.lower_processes,
            spent.lower_size,
            spent.call_path_key,
            ((time_2 - time_0) / all_0 + (time_3 - time_1) / all_1) / 2 AS loss_processes,
            ((time_1 * size_ratio - time_0) / all_0 + (time_3 * size_ratio - time_2) / all_2) / 2
                AS loss_size,
            ((wait_2 - wait_0) / all_0 + (wait_3 - wait_1) / all_1) / 2 AS wait_loss_processes,
            ((wait_1 * size_ratio - wait_0) / all_0 + (wait_3 * size_ratio - wait_2) / all_2) / 2
                AS wait_loss_size,
            (time_2 / all_2 - time_0 / all_0 + time_3 / all_3 - time_1 / all_1) / 2
                AS share_growth_processes,
            (time_1 / all_1 - time_0 / all_0 + time_3 / all_3 - time_2 / all_2) / 2
                AS share_growth_size,
            (wait_0 + wait_1 + wait_2 + wait_3) / nullif(time_0 + time_1 + time_2 + time_3, 0)
                AS wait_ratio,
            spent.critical_path_ns / nullif(complete.critical_path_ns, 0) AS critical_path_share
        FROM spent
        INNER JOIN complete USING (application, lower_processes, lower_size)
    )

SELECT
    lost.application,
    lost.lower_processes,
    cells.upper_processes,
    lost.lower_size,
    cells.upper_size,
    lost.call_path_key,
    paths.call_path,
    paths.operation,
    paths.place,
    causes.call_path AS cause_call_path,
    waiting.cause_rank,
    lost.loss_processes,
    lost.loss_size,
    lost.wait_loss_processes,
    lost.wait_loss_size,
    lost.share_growth_processes,
    lost.share_growth_size,
    lost.wait_ratio,
    lost.critical_path_share
FROM lost
INNER JOIN grid_cells AS cells USING (application, lower_processes, lower_size)
INNER JOIN campaign_call_paths AS paths USING (call_path_key)
INNER JOIN corners
    ON
        lost.application = corners.application
        AND lost.lower_processes = corners.lower_processes
        AND lost.lower_size = corners.lower_size
        AND corners.corner = 3
LEFT JOIN waiting_causes AS waiting
    ON
        corners.application = waiting.application
        AND corners.processes = waiting.processes
        AND corners.size = waiting.size
        AND lost.call_path_key = waiting.call_path_key
LEFT JOIN campaign_call_paths AS causes ON waiting.cause_call_path_key = causes.call_path_key
WHERE
    lost.loss_processes >= $min_cell_loss::DOUBLE
    OR lost.loss_size >= $min_cell_loss::DOUBLE
ORDER BY lost.application, lost.lower_processes, lost.lower_size, lost.call_path_key
