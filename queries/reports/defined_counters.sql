-- Counters that the trace defines or that are derived from them.
--
-- Grain:      one row per name
-- Inputs:     counters, derived_counters, counter_recordings
-- Output:     command counters
-- Parameters: none
-- Assumes:    nothing
SELECT
    counters.name,
    FALSE AS is_derived,
    bool_or(counter_recordings.recording_id IS NOT NULL) AS has_values
FROM counters
LEFT JOIN counter_recordings ON counters.counter_id = counter_recordings.counter_id
GROUP BY counters.name
UNION ALL
SELECT
    derived_counters.name,
    TRUE AS is_derived,
    TRUE AS has_values
FROM derived_counters
ORDER BY is_derived, name
