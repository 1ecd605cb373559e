-- Efficiencies of every configuration as POP defines them, with their times and rates.
--
-- Grain:      one row per application, size, processes, threads and metric
-- Inputs:     configuration_efficiencies, campaign_settings
-- Output:     campaign report section efficiencies
-- Parameters: none
-- Assumes:    nothing
WITH
    named (metric, depth, efficiency) AS (
        VALUES
        ('global_efficiency', 0, 'Global efficiency'),
        ('parallel_efficiency', 1, 'Parallel efficiency'),
        ('mpi_efficiency', 2, 'MPI'),
        ('load_balance', 3, 'Load balance'),
        ('communication_efficiency', 3, 'Communication'),
        ('serialization_efficiency', 4, 'Serialization'),
        ('transfer_efficiency', 4, 'Transfer'),
        ('openmp_efficiency', 2, 'OpenMP'),
        ('openmp_serialization', 3, 'OpenMP serialization'),
        ('openmp_load_balance', 3, 'OpenMP load balance'),
        ('openmp_scheduling', 3, 'OpenMP scheduling'),
        ('computation_scaling', 1, 'Computation scaling'),
        ('instruction_scaling', 2, 'Instruction scaling'),
        ('ipc_scaling', 2, 'Instructions per cycle, scaling'),
        ('frequency_scaling', 2, 'Clock frequency, scaling'),
        ('speed_up', NULL, 'Speed-up'),
        ('run_time', NULL, 'Run time'),
        ('ideal_run_time', NULL, 'Ideal run time'),
        ('useful_time', NULL, 'Useful time of all threads'),
        ('instructions_per_cycle', NULL, 'Instructions per cycle'),
        ('cycles_per_ns', NULL, 'Clock frequency (GHz)')
    ),

    placed AS (SELECT *, row_number() OVER () AS place FROM named)

SELECT
    found.application,
    settings.size_name,
    found.interval,
    found.scaling,
    found.reference_size,
    found.size,
    found.processes,
    found.threads,
    found.metric,
    placed.efficiency,
    placed.depth,
    found.value
FROM configuration_efficiencies AS found
INNER JOIN campaign_settings AS settings USING (application)
INNER JOIN placed USING (metric)
ORDER BY
    found.application,
    found.reference_size DESC,
    placed.place,
    found.processes * found.threads,
    found.processes,
    found.size
