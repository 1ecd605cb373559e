-- Cost of communication, synchronization and I/O: the time of all their calls.
--
-- Grain:      one row per kind of operation, call path and location that took time
-- Inputs:     operation_calls
-- Needs rows: operation_calls
-- Output:     operation_costs
-- Parameters: none
-- Pattern:    finding
-- Metrics:    communication_cost, synchronisation_cost, io_cost
-- Source:     Wolf and Mohr (EXPERT): communication, synchronization, I/O
-- Assumes:    as for operation_calls
SELECT
    CASE kind
        WHEN 'communication' THEN 'communication_cost'
        WHEN 'synchronisation' THEN 'synchronisation_cost'
        WHEN 'io' THEN 'io_cost'
    END AS property,
    call_path_id,
    location_id,
    time_ns AS value,
    if(is_complete, 100, 75) AS confidence
FROM operation_calls
WHERE time_ns > 0
