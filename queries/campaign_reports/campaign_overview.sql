-- What a campaign consists of, in one row.
--
-- Grain:      one row
-- Inputs:     campaign_runs, campaign_settings, campaign_call_paths
-- Output:     campaign report section summary
-- Parameters: none
-- Assumes:    nothing
WITH
    counted AS (
        SELECT
            count(*) AS run_count,
            count(*) FILTER (WHERE state = 'measured') AS measured_count,
            count(*) FILTER (WHERE run_id IS NOT NULL) AS trace_count,
            count(DISTINCT application) AS application_count,
            count(DISTINCT processes) AS process_number_count,
            count(DISTINCT size) AS size_count,
            min(processes) AS min_processes,
            max(processes) AS max_processes,
            min(size) AS min_size,
            max(size) AS max_size,
            min(time_ns) AS shortest_ns,
            max(time_ns) AS longest_ns,
            string_agg(DISTINCT application, ', ' ORDER BY application) AS applications
        FROM campaign_runs
    ),

    configurations AS (
        SELECT DISTINCT
            application,
            processes,
            threads,
            size,
            variant
        FROM campaign_runs
    ),

    declared AS (
        SELECT
            string_agg(DISTINCT size_name, ', ' ORDER BY size_name) AS size_names,
            string_agg(DISTINCT timed_part, ', ' ORDER BY timed_part) AS timed_parts,
            string_agg(DISTINCT efficiency_definition, ', ' ORDER BY efficiency_definition)
                AS efficiency_definitions
        FROM campaign_settings
    )

SELECT
    counted.*,
    declared.size_names,
    declared.timed_parts,
    declared.efficiency_definitions,
    (SELECT count(*) FROM configurations) AS configuration_count,
    (SELECT count(*) FROM campaign_call_paths) AS call_path_count
FROM counted
CROSS JOIN declared
ORDER BY counted.run_count
