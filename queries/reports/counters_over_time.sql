-- Counters and derived counters over the run in equal bins.
--
-- Counters declared as accumulated that fall may be levels: some measurement systems declare power
-- and frequencies so. The mean of the recorded values is the curve of these.
--
-- Grain:      one row per counter, described part of the system and bin with known values
-- Inputs:     counter_profile, counters, counter_recordings, derived_counter_profile,
--             location_groups, system_tree_nodes
-- Needs rows: counter_profile
-- Output:     command counters
-- Parameters: none
-- Assumes:    nothing
WITH
    steps AS (
        SELECT
            counter_id,
            sum(negative_steps)::BIGINT AS negative_steps
        FROM counter_recordings
        GROUP BY counter_id
    ),

    named AS (
        SELECT
            counters.name,
            counters.unit,
            profile.*,
            steps.negative_steps
        FROM counter_profile AS profile
        INNER JOIN counters ON profile.counter_id = counters.counter_id
        INNER JOIN steps ON profile.counter_id = steps.counter_id
    ),

    found AS (
        SELECT
            FALSE AS is_derived,
            name,
            unit,
            scope,
            scope_id,
            begin_ns,
            end_ns,
            value,
            covered_ns,
            recorded_mean,
            negative_steps,
            negative_steps > 0 AS is_as_recorded
        FROM named
        UNION ALL
        SELECT
            TRUE AS is_derived,
            name,
            unit,
            scope,
            scope_id,
            begin_ns,
            end_ns,
            numerator / nullif(denominator, 0) AS value,
            covered_ns,
            NULL AS recorded_mean,
            negative_steps,
            FALSE AS is_as_recorded
        FROM derived_counter_profile
    )

SELECT
    found.name AS counter,
    CASE found.scope
        WHEN 'node' THEN nodes.name
        WHEN 'group' THEN 'run'
        ELSE processes.name
    END AS part,
    found.begin_ns,
    found.end_ns,
    found.value,
    found.unit,
    found.covered_ns,
    found.recorded_mean,
    found.negative_steps,
    if(found.is_as_recorded, found.recorded_mean, found.value) AS curve_value,
    found.is_as_recorded,
    found.is_derived
FROM found
LEFT JOIN location_groups AS processes
    ON
        found.scope_id = processes.location_group_id
        AND found.scope IN ('location', 'process')
LEFT JOIN system_tree_nodes AS nodes
    ON found.scope_id = nodes.system_tree_node_id AND found.scope = 'node'
ORDER BY found.is_derived, found.name, found.scope, found.scope_id, found.begin_ns
