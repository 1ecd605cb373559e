-- Scalability metric of every program: ranges, marks and efficiencies, in total and by parts.
--
-- Grain:      one row per application and region
-- Inputs:     scalability_marks
-- Output:     campaign report section efficiency
-- Parameters: $row_limit  maximum number of regions per application (BIGINT)
-- Assumes:    nothing
SELECT
    application,
    region,
    growth,
    min_processes,
    min_size,
    max_processes,
    max_size,
    mark_procs,
    mark_data,
    mark_all,
    max_efficiency AS max_efficiency_ratio,
    min_efficiency AS min_efficiency_ratio,
    cell_count,
    covered_share AS covered_ratio,
    growth_processes AS process_growth,
    growth_size AS data_growth,
    size_axis,
    are_memory_failures_zero,
    reason
FROM scalability_marks
QUALIFY
    row_number() OVER (PARTITION BY application ORDER BY part IS NOT NULL, split_by, part)
    <= $row_limit::BIGINT
ORDER BY application, part IS NOT NULL, split_by, part
