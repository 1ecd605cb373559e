-- Waiting of a run whose causes are analyzed, by kind and waiting call path.
--
-- Grain:      one row per run, kind of waiting and waiting call path
-- Inputs:     run_metrics
-- Output:     analyzed_waits
-- Parameters: none
-- Source:     Scalasca pattern reference, "delay costs"
-- Assumes:    nothing
WITH
    kinds AS (
        FROM (
            VALUES
            ('mpi_latesender', 'latesender'),
            ('mpi_latereceiver', 'latereceiver'),
            ('mpi_barrier_wait', 'barrier'),
            ('mpi_wait_nxn', 'n2n'),
            ('mpi_latebroadcast', '12n'),
            ('mpi_earlyreduce', 'n21'),
            ('omp_ebarrier_wait', 'ompbarrier'),
            ('omp_ibarrier_wait', 'ompbarrier')
        ) AS listed (metric, kind)
    )

SELECT
    run_metrics.campaign_run_id,
    kinds.kind,
    run_metrics.call_path_key,
    sum(run_metrics.value_ns)::BIGINT AS wait_ns
FROM run_metrics
INNER JOIN kinds USING (metric)
GROUP BY ALL
ORDER BY run_metrics.campaign_run_id, kinds.kind, run_metrics.call_path_key
