-- Overhead of every configuration by class.
--
-- Grain:      one row per application, compared configuration and class with overhead
-- Inputs:     configuration_overheads, configuration_comparisons
-- Output:     campaign report section overheads
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    times are per thread; computation stands for what cannot be explained
SELECT
    own.application,
    own.size,
    own.processes,
    own.overhead_class,
    if(
        own.overhead_class = 'computation',
        'unidentified computation',
        own.overhead_subclass::VARCHAR
    ) AS overhead_subclass,
    own.time_ns AS overhead_ns,
    if(compared.overhead_ns > 0, own.time_ns / compared.overhead_ns, NULL) AS overhead_ratio,
    own.noise_ns
FROM configuration_overheads AS own
INNER JOIN configuration_comparisons AS compared USING (application, size, processes)
ORDER BY own.application, own.size, own.processes, abs(own.time_ns) DESC, own.overhead_id
LIMIT $row_limit::BIGINT
