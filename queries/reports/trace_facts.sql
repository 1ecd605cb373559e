-- Origin of the trace.
--
-- Grain:      one row
-- Inputs:     runs
-- Output:     report section how it was made
-- Parameters: none
SELECT
    trace_id,
    source_format,
    creator,
    machine_name,
    timer_resolution,
    started_at_ns,
    begin_ns,
    end_ns
FROM runs
ORDER BY run_id
