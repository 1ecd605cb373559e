-- Names of locations other than threads: streams of accelerators and metric locations.
--
-- Grain:      one row per location of these kinds
-- Inputs:     locations
-- Output:     names of locations in all sections
-- Parameters: none
SELECT
    rank,
    thread,
    if(kind = 'gpu', 'GPU stream ', 'metric location ')
    || coalesce(nullif(name, ''), thread::VARCHAR) AS location
FROM locations
WHERE kind IN ('gpu', 'metric')
ORDER BY rank, thread, location_id
