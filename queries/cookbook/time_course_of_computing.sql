-- How does the share of computation change over the run?
--
-- Grain:      one row per interval of the run
-- Inputs:     time_profile, overhead_classes
-- Output:     answer
-- Parameters: none
SELECT
    profile.begin_ns / 1e9 AS begin_seconds,
    profile.end_ns / 1e9 AS end_seconds,
    coalesce(sum(profile.time_ns) FILTER (classes.overhead_class = 'computation'), 0)
    / nullif(sum(profile.time_ns), 0) AS computation_ratio
FROM time_profile AS profile
INNER JOIN overhead_classes AS classes USING (overhead_id)
GROUP BY profile.bin, profile.begin_ns, profile.end_ns
ORDER BY profile.bin
