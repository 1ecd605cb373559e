-- The regions with the largest overheads of every configuration.
--
-- Grain:      one row per application, compared configuration and region; up to ten of each
-- Inputs:     configuration_regions
-- Output:     campaign report section overheads
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    times are per process; the largest have most overhead on their longest process
SELECT
    application,
    size,
    processes,
    region,
    seq_ns,
    par_mean_ns,
    par_max_ns,
    overhead_mean_ns,
    overhead_max_ns,
    charged_ns
FROM configuration_regions
QUALIFY
    row_number() OVER (
        PARTITION BY application, size, processes ORDER BY overhead_max_ns DESC, region
    ) <= 10
ORDER BY application, size, processes, overhead_max_ns DESC, region
LIMIT $row_limit::BIGINT
