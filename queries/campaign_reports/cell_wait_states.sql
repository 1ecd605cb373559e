-- Wait states of the worst call paths of every cell, for each run at its corners.
--
-- Grain:      one row per application, cell, call path, corner and wait state; up to three call
--             paths per cell
-- Inputs:     cell_call_sites, grid_cells, efficiency_grid, run_call_paths, run_metrics, metrics
-- Output:     campaign report section drill-down
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    a wait state includes its sub-metrics
WITH
    losing AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY application, lower_processes, lower_size
                ORDER BY greatest(loss_processes, loss_size) DESC, call_path_key
            ) AS standing
        FROM cell_call_sites
        QUALIFY standing <= 3
    ),

    -- Of sizes with the same amount of computation, the best run counts, as in the grid.
    corners AS (
        SELECT
            losing.*,
            grid.campaign_run_id,
            grid.processes,
            grid.size
        FROM losing
        INNER JOIN grid_cells AS cells USING (application, lower_processes, lower_size)
        INNER JOIN efficiency_grid AS grid
            ON
                losing.application = grid.application
                AND grid.processes IN (losing.lower_processes, losing.upper_processes)
                AND if(cells.size_axis = 'size', grid.size, grid.computation_size)
                IN (losing.lower_size, losing.upper_size)
        QUALIFY
            row_number() OVER (
                PARTITION BY
                    losing.application,
                    losing.lower_processes,
                    losing.lower_size,
                    losing.call_path_key,
                    grid.processes,
                    if(cells.size_axis = 'size', grid.size, grid.computation_size)
                ORDER BY grid.efficiency DESC NULLS LAST, grid.size
            ) = 1
    ),

    visited AS (
        SELECT
            corners.*,
            costs.exclusive_ns
        FROM corners
        INNER JOIN run_call_paths AS costs USING (campaign_run_id, call_path_key)
    ),

    waiting AS (
        SELECT
            run_metrics.campaign_run_id,
            run_metrics.call_path_key,
            run_metrics.metric,
            metrics.title,
            run_metrics.value_ns
        FROM run_metrics
        INNER JOIN metrics USING (metric)
        WHERE metrics.kind = 'wait state' AND metrics.parent_metric IS NULL
    )

SELECT
    visited.application,
    visited.lower_processes,
    visited.lower_size,
    visited.call_path,
    visited.processes,
    visited.size,
    waiting.title AS finding,
    waiting.value_ns AS wait_ns,
    waiting.value_ns / nullif(visited.exclusive_ns, 0) AS wait_ratio
FROM visited
INNER JOIN waiting USING (campaign_run_id, call_path_key)
ORDER BY
    visited.application,
    visited.lower_processes,
    visited.lower_size,
    visited.standing,
    visited.processes,
    visited.size,
    waiting.value_ns DESC,
    waiting.metric
LIMIT $row_limit::BIGINT
