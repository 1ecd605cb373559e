-- The largest class of overhead with most processes at the largest size, and its call path.
--
-- Grain:      one row per application with compared configurations
-- Inputs:     configuration_comparisons, configuration_overheads, configuration_call_paths,
--             campaign_call_paths, campaign_settings
-- Output:     campaign report sections overheads and summary
-- Parameters: none
-- Assumes:    the call path is the one that others lose most time for
WITH
    largest AS (
        SELECT *
        FROM configuration_comparisons
        QUALIFY
            row_number() OVER (PARTITION BY application ORDER BY size DESC, processes DESC) = 1
    ),

    classes AS (
        SELECT application, overhead_class, overhead_subclass, configuration_overheads.time_ns
        FROM configuration_overheads
        INNER JOIN largest USING (application, processes, size)
        QUALIFY
            row_number() OVER (
                PARTITION BY application ORDER BY configuration_overheads.time_ns DESC, overhead_id
            ) = 1
    ),

    charged AS (
        SELECT application, paths.call_path, charged_ns
        FROM configuration_call_paths
        INNER JOIN largest USING (application, processes, size)
        INNER JOIN campaign_call_paths AS paths USING (call_path_key)
        WHERE charged_ns > 0
        QUALIFY
            row_number() OVER (
                PARTITION BY application ORDER BY charged_ns DESC, call_path_key
            ) = 1
    )

SELECT
    largest.application,
    largest.processes,
    largest.size,
    settings.size_name,
    largest.base_processes,
    largest.overhead_ns,
    largest.noise_ns,
    classes.overhead_class::VARCHAR AS overhead_class,
    classes.overhead_subclass::VARCHAR AS overhead_subclass,
    classes.time_ns,
    charged.call_path
FROM largest
INNER JOIN campaign_settings AS settings USING (application)
LEFT JOIN classes USING (application)
LEFT JOIN charged USING (application)
ORDER BY largest.application
