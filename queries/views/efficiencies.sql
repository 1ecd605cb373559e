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
    named (metric, efficiency) AS (
        VALUES
        ('parallel_efficiency', 'Parallel efficiency'),
        ('mpi_efficiency', 'MPI'),
        ('load_balance', 'Load balance'),
        ('communication_efficiency', 'Communication'),
        ('serialization_efficiency', 'Serialization'),
        ('transfer_efficiency', 'Transfer'),
        ('openmp_efficiency', 'OpenMP'),
        ('openmp_serialization', 'OpenMP serialization'),
        ('openmp_load_balance', 'OpenMP load balance'),
        ('openmp_scheduling', 'OpenMP scheduling')
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
