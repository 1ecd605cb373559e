-- Begin and end of the timeline, and of the main part in which it opens.
--
-- Grain:      one row
-- Inputs:     runs, main_part
-- Output:     report section timeline
-- Parameters: none
SELECT
    runs.begin_ns,
    runs.end_ns,
    main_part.begin_ns AS main_begin_ns,
    main_part.end_ns AS main_end_ns
FROM runs
CROSS JOIN main_part
ORDER BY runs.run_id
