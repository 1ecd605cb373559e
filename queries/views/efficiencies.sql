-- Efficiencies as POP defines them, with their titles, in the order of reports.
--
-- Patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per interval, convention and efficiency
-- Inputs:     pop_metrics
-- Output:     efficiencies
-- Parameters: none
-- Source:     none
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

    placed AS (
        SELECT
            metric,
            efficiency,
            row_number() OVER () AS place
        FROM named
    )

SELECT
    COLUMNS('^(run_id|interval|convention|metric|value)$'),
    placed.efficiency,
    placed.place
FROM pop_metrics
INNER JOIN placed USING (metric)
