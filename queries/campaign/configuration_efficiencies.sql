-- Efficiencies of every configuration as POP defines them, and how they scale.
--
-- Everything is that of the shortest run of a configuration, so that efficiencies multiply. The
-- reference is the configuration with the fewest CPUs (processes times threads) of the same size.
-- If every size has its own number of CPUs, all sizes are one series, which is weak scaling.
--
-- An application has one interval: from MPI_Init to MPI_Finalize, or the whole run if setup is
-- included or if more configurations have that.
--
-- Grain:      one row per application, size, processes, threads and metric
-- Inputs:     campaign_runs, campaign_settings, run_efficiencies
-- Output:     configuration_efficiencies
-- Parameters: none
-- Source:     POP and BasicAnalysis: computation scaling is instruction × IPC × frequency scaling;
--             scaling is weak if instructions grow by more than 0.9 of the growth in CPUs
-- Assumes:    with weak scaling, the problem grows as the number of CPUs does
WITH
    shortest AS (
        SELECT
            campaign_runs.*,
            processes * threads AS cpu_count
        FROM campaign_runs
        SEMI JOIN run_efficiencies USING (campaign_run_id)
        WHERE state = 'measured'
        QUALIFY
            row_number() OVER (
                PARTITION BY application, size, processes, threads
                ORDER BY time_ns, campaign_run_id
            ) = 1
    ),

    applications AS (
        SELECT
            shortest.application,
            settings.scaling,
            settings.is_setup_included,
            settings.scaling <> 'fixed size'
            AND count(*) > 1
            AND count(DISTINCT shortest.size) = count(*)
            AND count(DISTINCT shortest.cpu_count) = count(*) AS is_one_series
        FROM shortest
        INNER JOIN campaign_settings AS settings USING (application)
        GROUP BY shortest.application, settings.scaling, settings.is_setup_included
    ),

    intervals AS (
        SELECT
            shortest.application,
            found.interval
        FROM run_efficiencies AS found
        INNER JOIN shortest USING (campaign_run_id)
        INNER JOIN applications USING (application)
        WHERE found.metric = 'run_time'
        GROUP BY shortest.application, found.interval
        QUALIFY
            row_number() OVER (
                PARTITION BY shortest.application
                ORDER BY
                    bool_or(applications.is_setup_included AND found.interval <> 'whole'),
                    count(*) DESC,
                    found.interval
            ) = 1
    ),

    summed AS (
        SELECT
            campaign_run_id,
            interval,
            max(value) FILTER (WHERE metric = 'run_time') AS run_time,
            max(value) FILTER (WHERE metric = 'parallel_efficiency') AS parallel_efficiency,
            max(value) FILTER (WHERE metric = 'useful_time') AS useful_time,
            max(value) FILTER (WHERE metric = 'instructions') AS instructions,
            max(value) FILTER (WHERE metric = 'cycles') AS cycles
        FROM run_efficiencies
        GROUP BY campaign_run_id, interval
    ),

    compared AS (
        SELECT
            shortest.campaign_run_id,
            shortest.application,
            shortest.size,
            shortest.processes,
            shortest.threads,
            applications.scaling,
            applications.is_one_series,
            summed.* EXCLUDE (campaign_run_id),
            first_value(shortest.size) OVER series AS reference_size,
            first_value(shortest.processes) OVER series AS reference_processes,
            first_value(shortest.threads) OVER series AS reference_threads,
            first_value(summed.run_time) OVER series AS reference_run_time,
            first_value(summed.useful_time) OVER series AS reference_useful_time,
            first_value(summed.instructions) OVER series AS reference_instructions,
            first_value(summed.cycles) OVER series AS reference_cycles,
            shortest.cpu_count / first_value(shortest.cpu_count) OVER series AS cpu_ratio
        FROM shortest
        INNER JOIN applications USING (application)
        INNER JOIN intervals USING (application)
        INNER JOIN summed USING (campaign_run_id, interval)
        WINDOW
            series AS (
                PARTITION BY
                    shortest.application,
                    if(applications.is_one_series, NULL, shortest.size)
                ORDER BY shortest.cpu_count, shortest.processes
            )
    ),

    kinds AS (
        SELECT
            application,
            reference_size,
            CASE any_value(scaling)
                WHEN 'fixed size' THEN FALSE
                WHEN 'scaled size' THEN TRUE
                ELSE
                    any_value(is_one_series)
                    OR coalesce(
                        avg(instructions / reference_instructions / cpu_ratio)
                        FILTER (WHERE cpu_ratio > 1) > 0.9,
                        FALSE
                    )
            END AS is_weak
        FROM compared
        GROUP BY application, reference_size
    ),

    -- With weak scaling, a run with more CPUs solves a problem that is larger by this factor.
    placed AS (
        SELECT
            compared.*,
            if(kinds.is_weak, 'weak', 'strong') AS scaling_kind,
            if(kinds.is_weak, compared.cpu_ratio, 1) AS growth
        FROM compared
        INNER JOIN kinds USING (application, reference_size)
    ),

    scaled AS (
        SELECT
            campaign_run_id,
            interval,
            growth * reference_run_time / run_time AS speed_up,
            parallel_efficiency * growth * reference_useful_time / useful_time AS global_efficiency,
            growth * reference_useful_time / useful_time AS computation_scaling,
            growth * reference_instructions / instructions AS instruction_scaling,
            instructions / cycles / (reference_instructions / reference_cycles) AS ipc_scaling,
            cycles / useful_time / (reference_cycles / reference_useful_time) AS frequency_scaling,
            instructions / cycles AS instructions_per_cycle,
            cycles / useful_time AS cycles_per_ns
        FROM placed
    ),

    valued AS (
        SELECT
            campaign_run_id,
            interval,
            metric,
            value
        FROM run_efficiencies
        UNION ALL
        SELECT
            campaign_run_id,
            interval,
            metric,
            value
        FROM scaled
        UNPIVOT (
            value FOR metric IN (
                speed_up, global_efficiency, computation_scaling, instruction_scaling, ipc_scaling,
                frequency_scaling, instructions_per_cycle, cycles_per_ns
            )
        )
    )

SELECT
    placed.application,
    placed.size,
    placed.processes,
    placed.threads,
    valued.metric,
    valued.value,
    placed.interval,
    placed.scaling_kind AS scaling,
    placed.reference_size,
    placed.reference_processes,
    placed.reference_threads,
    placed.campaign_run_id
FROM placed
INNER JOIN valued USING (campaign_run_id, interval)
WHERE isfinite(valued.value)
ORDER BY
    placed.application,
    placed.size,
    placed.processes,
    placed.threads,
    valued.metric
