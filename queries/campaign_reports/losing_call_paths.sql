-- The call paths that lose the most time in every cell of the grid.
--
-- Grain:      one row per application, cell and call path; up to three per cell
-- Inputs:     cell_call_sites
-- Output:     campaign report section drill-down
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    the worst call paths have the largest loss, with processes or with size; the cause
--             of a call path at a size is that with the most processes
SELECT
    application,
    lower_processes,
    upper_processes,
    lower_size,
    upper_size,
    last_value(if(coalesce(wait_ratio, 0) < 0.5, call_path, cause_call_path)) OVER of_size
        AS cause_call_path,
    call_path,
    parse_filename(place) AS source,
    loss_processes AS loss_processes_ratio,
    wait_loss_processes AS wait_loss_ratio,
    loss_size AS loss_size_ratio
FROM cell_call_sites
WINDOW
    of_size AS (
        PARTITION BY application, upper_size, call_path_key
        ORDER BY upper_processes
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
QUALIFY
    row_number() OVER (
        PARTITION BY application, lower_processes, lower_size
        ORDER BY greatest(loss_processes, loss_size) DESC, call_path_key
    ) <= 3
ORDER BY
    application,
    lower_processes,
    lower_size,
    greatest(loss_processes, loss_size) DESC,
    call_path_key
LIMIT $row_limit::BIGINT
