-- Metrics of delays and of the waits that they cause.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     root_causes, indirect_waits
-- Needs rows: root_causes or indirect_waits
-- Output:     delay_severities
-- Parameters: none
-- Source:     Scalasca, "delay costs", "indirect wait states", "propagating wait states"
-- Assumes:    nothing
WITH
    valued AS (
        SELECT
            'delay_' || kind AS metric,
            call_path_id,
            location_id,
            round(sum(direct_ns))::BIGINT AS value
        FROM root_causes
        GROUP BY ALL
        UNION ALL
        SELECT
            'delay_' || kind || '_longterm' AS metric,
            call_path_id,
            location_id,
            round(sum(passed_on_ns))::BIGINT AS value
        FROM root_causes
        GROUP BY ALL
        UNION ALL
        SELECT
            'mpi_wait_indirect_' || kind AS metric,
            call_path_id,
            location_id,
            round(indirect_ns)::BIGINT AS value
        FROM indirect_waits
        WHERE kind IN ('latesender', 'latereceiver')
        UNION ALL
        SELECT
            if(kind = 'latesender', 'mpi_wait_propagating_ls', 'mpi_wait_propagating_lr'),
            call_path_id,
            location_id,
            round(propagating_ns)::BIGINT AS value
        FROM indirect_waits
        WHERE kind IN ('latesender', 'latereceiver')
    )

SELECT
    metric,
    call_path_id,
    location_id,
    value
FROM valued
WHERE value <> 0
