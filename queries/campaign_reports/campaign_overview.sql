-- Overview of a campaign in one row.
--
-- Ranges and configurations refer to the measured runs, or to all runs if none was measured.
--
-- Grain:      one row
-- Inputs:     campaign_runs, campaign_settings, campaign_call_paths
-- Output:     campaign report section summary
-- Parameters: none
-- Assumes:    nothing
WITH
    described_runs AS (
        SELECT *
        FROM campaign_runs
        QUALIFY state = 'measured' OR count(*) FILTER (WHERE state = 'measured') OVER () = 0
    ),

    counted AS (
        SELECT
            count(*) AS run_count,
            count(*) FILTER (WHERE state = 'measured') AS measured_count,
            count(*) FILTER (WHERE run_id IS NOT NULL) AS trace_count,
            min(processes) FILTER (WHERE state <> 'measured') AS failed_min_processes,
            max(processes) FILTER (WHERE state <> 'measured') AS failed_max_processes,
            min(size) FILTER (WHERE state <> 'measured') AS failed_min_size,
            max(size) FILTER (WHERE state <> 'measured') AS failed_max_size,
            count(DISTINCT application) AS application_count,
            min(time_ns) AS shortest_ns,
            max(time_ns) AS longest_ns,
            string_agg(DISTINCT application, ', ' ORDER BY application) AS applications
        FROM campaign_runs
    ),

    ranges AS (
        SELECT
            count(DISTINCT processes) AS process_number_count,
            count(DISTINCT size) AS size_count,
            min(processes) AS min_processes,
            max(processes) AS max_processes,
            min(size) AS min_size,
            max(size) AS max_size
        FROM described_runs
    ),

    configurations AS (
        SELECT DISTINCT
            application,
            processes,
            threads,
            size,
            variant
        FROM described_runs
    ),

    declared AS (
        SELECT
            string_agg(DISTINCT size_name, ', ' ORDER BY size_name) AS size_names,
            string_agg(DISTINCT timed_part, ', ' ORDER BY timed_part) AS timed_parts,
            string_agg(DISTINCT efficiency_definition, ', ' ORDER BY efficiency_definition)
                AS efficiency_definitions,
            string_agg(
                DISTINCT computation_size_expression, ', ' ORDER BY computation_size_expression
            ) AS computation_sizes
        FROM campaign_settings
    )

SELECT
    counted.*,
    ranges.*,
    declared.size_names,
    declared.timed_parts,
    declared.efficiency_definitions,
    declared.computation_sizes,
    (SELECT count(*) FROM configurations) AS configuration_count,
    (SELECT count(*) FROM campaign_call_paths) AS call_path_count
FROM counted
CROSS JOIN ranges
CROSS JOIN declared
ORDER BY counted.run_count
