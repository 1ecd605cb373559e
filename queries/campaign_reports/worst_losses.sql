-- The call path of every program with the largest loss in any cell of the grid, and its main wait
-- state.
--
-- Grain:      one row per application with a loss in a cell
-- Inputs:     cell_call_sites, grid_cells, efficiency_grid, campaign_runs, run_call_paths,
--             run_metrics, metrics
-- Output:     campaign report section drill-down
-- Parameters: none
-- Assumes:    losses with size count if no loss with processes exists; the wait state is the
--             longest one in any of the cell's runs
WITH
    worst AS (
        SELECT *
        FROM cell_call_sites
        QUALIFY
            row_number() OVER (
                PARTITION BY application
                ORDER BY
                    greatest(loss_processes, 0) DESC,
                    loss_size DESC,
                    lower_processes,
                    lower_size,
                    call_path_key
            ) = 1
    ),

    -- Of sizes with the same amount of computation, the best run counts, as in the grid.
    corners AS (
        SELECT
            worst.application,
            worst.call_path_key,
            grid.campaign_run_id
        FROM worst
        INNER JOIN grid_cells AS cells USING (application, lower_processes, lower_size)
        INNER JOIN efficiency_grid AS grid
            ON
                worst.application = grid.application
                AND grid.processes IN (worst.lower_processes, worst.upper_processes)
                AND if(cells.size_axis = 'size', grid.size, grid.computation_size)
                IN (worst.lower_size, worst.upper_size)
        QUALIFY
            row_number() OVER (
                PARTITION BY
                    worst.application,
                    grid.processes,
                    if(cells.size_axis = 'size', grid.size, grid.computation_size)
                ORDER BY grid.efficiency DESC NULLS LAST, grid.size
            ) = 1
    ),

    waiting AS (
        SELECT
            corners.application,
            metrics.title AS finding,
            waits.value_ns / nullif(costs.exclusive_ns, 0) AS wait_ratio,
            coalesce(runs.run_id, runs.label) AS run
        FROM corners
        INNER JOIN campaign_runs AS runs USING (campaign_run_id)
        INNER JOIN run_call_paths AS costs USING (campaign_run_id, call_path_key)
        INNER JOIN run_metrics AS waits USING (campaign_run_id, call_path_key)
        INNER JOIN metrics ON waits.metric = metrics.metric
        WHERE metrics.kind = 'wait state' AND metrics.parent_metric IS NULL
        QUALIFY
            row_number() OVER (
                PARTITION BY corners.application
                ORDER BY waits.value_ns DESC, campaign_run_id, metrics.metric
            ) = 1
    )

SELECT
    worst.application,
    worst.lower_processes,
    worst.upper_processes,
    worst.lower_size,
    worst.upper_size,
    cells.size_axis,
    worst.call_path,
    worst.place AS source,
    worst.cause_call_path,
    worst.cause_rank,
    worst.loss_processes AS loss_processes_ratio,
    worst.loss_size AS loss_size_ratio,
    waiting.finding,
    waiting.wait_ratio,
    waiting.run
FROM worst
INNER JOIN grid_cells AS cells USING (application, lower_processes, lower_size)
LEFT JOIN waiting USING (application)
ORDER BY worst.application
