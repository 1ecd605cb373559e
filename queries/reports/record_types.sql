-- Event records of the trace by type.
--
-- Grain:      one row per type of record
-- Inputs:     record_counts
-- Output:     report section how it was made
-- Parameters: none
SELECT
    record,
    sum(record_count)::BIGINT AS record_count,
    count(*) AS location_count
FROM record_counts
GROUP BY record
ORDER BY record_count DESC, record
