-- Waiting for messages that is indirect, or makes others wait.
--
-- Grain:      one row per kind of waiting for messages
-- Inputs:     indirect_waits, severities, metrics
-- Needs rows: indirect_waits
-- Output:     report section root causes
-- Parameters: none
WITH
    indirect AS (
        SELECT
            'mpi_' || kind AS metric,
            sum(indirect_ns) AS indirect_ns,
            sum(propagating_ns) AS propagating_ns
        FROM indirect_waits
        WHERE kind IN ('latesender', 'latereceiver')
        GROUP BY kind
    ),

    waited AS (SELECT metric, sum(value) AS wait_ns FROM severities GROUP BY metric)

SELECT
    indirect.metric,
    coalesce(metrics.title, indirect.metric) AS finding,
    waited.wait_ns::BIGINT AS wait_ns,
    round(indirect.indirect_ns)::BIGINT AS indirect_ns,
    indirect.indirect_ns / nullif(waited.wait_ns, 0) AS indirect_ratio,
    round(indirect.propagating_ns)::BIGINT AS propagating_ns,
    indirect.propagating_ns / nullif(waited.wait_ns, 0) AS propagating_ratio
FROM indirect
INNER JOIN waited ON indirect.metric = waited.metric
LEFT JOIN metrics ON indirect.metric = metrics.metric
ORDER BY indirect.metric DESC
