-- All metrics per call path and thread in common units: seconds, bytes, counts.
--
-- The waiting that Scalasca's analyzer leaves out is in rows of its own, so that totals compare.
-- Idle threads, time outside visits and absence happen in no call path: theirs is empty.
--
-- Grain:      one row per metric, call path and location with a value other than zero, extended
--             ones separate
-- Inputs:     metric_cells, metrics, call_paths, locations
-- Output:     export severities
-- Parameters: none
-- Assumes:    who does not take part in a computation has a row for it, so that call paths times
--             locations are few enough; nanoseconds below 2**53 keep every digit as seconds
SELECT
    cells.metric,
    coalesce(call_paths.path, '') AS call_path,
    locations.rank,
    locations.thread,
    if(metrics.unit = 'ns', cells.value / 1e9, cells.value::DOUBLE) AS value,
    cells.is_extended AS extended
FROM metric_cells AS cells
INNER JOIN metrics ON cells.metric = metrics.metric
LEFT JOIN call_paths ON cells.call_path_id = call_paths.call_path_id
INNER JOIN locations ON cells.location_id = locations.location_id
WHERE cells.value <> 0
ORDER BY cells.metric, cells.call_path_id, cells.location_id, cells.is_extended
