-- Metrics of the critical path for the call paths and locations on it.
--
-- CP(c) is the length of the critical path at call path c, and CP_q(c) its part on location q:
--
--     critical_path               CP_q(c)
--     critical_imbalance_impact   impact of c on all processes, times CP_q(c) / CP(c)
--     inter_partition_imbalance   the same between partitions
--     critical_path_imbalance     imbalance ratio of c, times CP_q(c)
--
-- Relation critical_path_work holds the work of all locations.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     critical_path_profile, critical_path_impacts, critical_path_imbalances
-- Needs rows: critical_path_profile
-- Output:     critical_path_severities
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis"
-- Assumes:    nothing
WITH
    shares AS (
        SELECT
            profile.call_path_id,
            profile.location_id,
            profile.path_ns,
            impacts.impact_ns * profile.path_ns / impacts.path_ns AS impact_ns,
            impacts.partition_impact_ns * profile.path_ns / impacts.path_ns AS partition_impact_ns,
            imbalances.imbalance_ratio * profile.path_ns AS imbalance_ns
        FROM critical_path_profile AS profile
        LEFT JOIN critical_path_impacts AS impacts USING (call_path_id)
        LEFT JOIN critical_path_imbalances AS imbalances USING (call_path_id)
    ),

    valued AS (
        SELECT 'critical_path' AS metric, call_path_id, location_id, path_ns AS value FROM shares
        UNION ALL
        SELECT 'critical_imbalance_impact', call_path_id, location_id, round(impact_ns)::BIGINT
        FROM shares
        UNION ALL
        SELECT
            'inter_partition_imbalance',
            call_path_id,
            location_id,
            round(partition_impact_ns)::BIGINT
        FROM shares
        UNION ALL
        SELECT 'critical_path_imbalance', call_path_id, location_id, round(imbalance_ns)::BIGINT
        FROM shares
    )

SELECT
    metric,
    call_path_id,
    location_id,
    value
FROM valued
WHERE value <> 0
ORDER BY metric, call_path_id, location_id
