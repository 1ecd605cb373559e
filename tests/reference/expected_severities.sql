-- What a reference says about the compared metrics, as it says it: digits are kept.
--
-- Grain:      one row per metric, call path, rank and thread with a value other than zero
-- Inputs:     none
-- Output:     expected severities
-- Parameters: $reference  path of a reference.csv (VARCHAR)
--             $metrics    names of the compared metrics, separated by commas (VARCHAR)
-- Assumes:    nothing
SELECT
    metric,
    callpath AS call_path,
    rank,
    thread,
    exclusive AS value
FROM read_csv($reference, header = TRUE, all_varchar = TRUE)
WHERE
    list_contains(string_split($metrics, ','), metric)
    AND exclusive::DOUBLE <> 0
ORDER BY metric, call_path, rank::INTEGER, thread::INTEGER
