-- The call paths that lose the most time in every cell of the grid.
--
-- Grain:      one row per application, cell and call path; up to three per cell
-- Inputs:     cell_call_sites
-- Output:     campaign report section drill-down
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    the worst call paths have the largest loss, with processes or with size
SELECT
    application,
    lower_processes,
    upper_processes,
    lower_size,
    upper_size,
    CASE
        WHEN wait_ratio < 0.5 OR wait_ratio IS NULL THEN call_path
        ELSE cause_call_path
    END AS cause_call_path,
    if(wait_ratio >= 0.5, cause_rank, NULL) AS cause_rank,
    call_path,
    place AS source,
    loss_processes AS loss_processes_ratio,
    wait_loss_processes AS wait_loss_ratio,
    loss_size AS loss_size_ratio,
    wait_ratio AS waiting_ratio,
    critical_path_share AS path_share_ratio
FROM cell_call_sites
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
