-- Waiting that call paths caused in several runs, by kind and process.
--
-- Grain:      one row per run, causing call path and process, and kind of waiting that it caused
-- Inputs:     severities, call_path_keys, locations, location_groups
-- Output:     campaign table run_causes
-- Parameters: none
-- Source:     Böhme et al. 2016, "Identifying the root causes of wait states in large-scale
--             parallel applications"
-- Assumes:    tables hold several runs, distinguished by run_id; runs that were analyzed without
--             causes have no metrics of delays
SELECT
    severities.run_id,
    regexp_extract(severities.metric, '^delay_([^_]+)', 1) AS kind,
    call_path_keys.call_path_key,
    location_groups.rank,
    coalesce(sum(severities.value) FILTER (NOT severities.metric LIKE '%_longterm'), 0)::BIGINT
        AS direct_ns,
    coalesce(sum(severities.value) FILTER (severities.metric LIKE '%_longterm'), 0)::BIGINT
        AS passed_on_ns
FROM severities
INNER JOIN call_path_keys USING (run_id, call_path_id)
INNER JOIN locations USING (run_id, location_id)
INNER JOIN location_groups USING (run_id, location_group_id)
WHERE severities.metric LIKE 'delay_%' AND location_groups.kind = 'process'
GROUP BY ALL
ORDER BY severities.run_id, kind, call_path_keys.call_path_key, location_groups.rank
