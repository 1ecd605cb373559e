-- How did a counter, such as power, develop over the run?
--
-- Grain:      one row per counter, part of the system and bin
-- Inputs:     counter_profile, counters
-- Output:     answer
-- Parameters: none
SELECT
    counters.name,
    profile.scope,
    profile.scope_id,
    profile.begin_ns / 1e9 AS begin_seconds,
    profile.value,
    profile.recorded_mean,
    counters.unit
FROM counter_profile AS profile
INNER JOIN counters USING (counter_id)
ORDER BY counters.name, profile.scope, profile.scope_id, profile.begin_ns
