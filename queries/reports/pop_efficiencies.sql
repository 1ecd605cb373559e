-- Efficiencies of the run as POP defines them, in three conventions.
--
-- Grain:      one row per interval and efficiency
-- Inputs:     pop_metrics
-- Output:     report section efficiencies
-- Parameters: none
-- Assumes:    nothing
WITH
    named (metric, depth, efficiency) AS (
        VALUES
        ('parallel_efficiency', 0, 'Parallel efficiency'),
        ('mpi_efficiency', 1, 'MPI'),
        ('load_balance', 2, 'Load balance'),
        ('communication_efficiency', 2, 'Communication'),
        ('serialization_efficiency', 3, 'Serialization'),
        ('transfer_efficiency', 3, 'Transfer'),
        ('openmp_efficiency', 1, 'OpenMP'),
        ('openmp_serialization', 2, 'OpenMP serialization'),
        ('openmp_load_balance', 2, 'OpenMP load balance'),
        ('openmp_scheduling', 2, 'OpenMP scheduling')
    ),

    placed AS (SELECT *, row_number() OVER () AS place FROM named),

    valued AS (
        SELECT
            interval,
            metric,
            max(value) FILTER (WHERE convention = 'multiplicative') AS multiplicative_ratio,
            max(value) FILTER (WHERE convention = 'basic analysis') AS basic_analysis_ratio,
            max(value) FILTER (WHERE convention = 'additive') AS additive_ratio
        FROM pop_metrics
        WHERE convention <> 'times'
        GROUP BY interval, metric
    )

SELECT
    valued.interval,
    valued.metric,
    placed.efficiency,
    valued.multiplicative_ratio,
    valued.basic_analysis_ratio,
    valued.additive_ratio
FROM valued
INNER JOIN placed ON valued.metric = placed.metric
ORDER BY valued.interval, placed.place
