-- Further characteristics of the best run of every configuration of the grid.
--
-- Monitoring data are the mean over the repetitions of that run.
--
-- Grain:      one row per application, configuration with a best run, and characteristic
-- Inputs:     efficiency_grid, campaign_runs, run_tasks, run_totals, metric_times, run_counters,
--             run_monitoring
-- Output:     grid_characteristics
-- Parameters: none
-- Source:     other characteristics over the grid of efficiency (Teplov 2014); load balance as POP
--             defines it, mean divided by maximum
-- Assumes:    a metric that a run with metrics does not list is 0
WITH
    best AS (
        SELECT application, processes, size, campaign_run_id
        FROM efficiency_grid
        WHERE campaign_run_id IS NOT NULL
    ),

    spent AS (
        SELECT
            campaign_run_id,
            sum(communication_ns) AS communication_ns,
            sum(time_ns) AS time_ns,
            avg(time_ns - communication_ns) AS mean_ns,
            max(time_ns - communication_ns) AS longest_ns
        FROM run_tasks
        GROUP BY campaign_run_id
    ),

    metrics AS (
        SELECT DISTINCT best.application, metric_times.metric
        FROM metric_times
        INNER JOIN best USING (campaign_run_id)
        WHERE metric_times.metric <> 'time'
    ),

    counted AS (
        SELECT
            counters.campaign_run_id,
            counters.counter,
            counters.is_derived,
            min(counters.unit) AS unit,
            sum(counters.numerator) AS numerator,
            sum(counters.denominator) AS denominator,
            sum(counters.covered_ns) AS covered_ns
        FROM run_counters AS counters
        INNER JOIN best USING (campaign_run_id)
        GROUP BY counters.campaign_run_id, counters.counter, counters.is_derived
    ),

    -- The mean over the repetitions of the best run that have a value.
    monitored AS (
        SELECT
            best.campaign_run_id,
            run_monitoring.characteristic,
            min(run_monitoring.unit) AS unit,
            avg(run_monitoring.value) AS value
        FROM best
        INNER JOIN campaign_runs AS chosen USING (campaign_run_id)
        INNER JOIN campaign_runs AS repeated
            ON
                chosen.application = repeated.application
                AND chosen.processes = repeated.processes
                AND chosen.threads = repeated.threads
                AND chosen.size = repeated.size
                AND chosen.variant = repeated.variant
                AND repeated.state = 'measured'
        INNER JOIN run_monitoring ON repeated.campaign_run_id = run_monitoring.campaign_run_id
        GROUP BY best.campaign_run_id, run_monitoring.characteristic
    ),

    characteristics AS (
        SELECT
            campaign_run_id,
            'times' AS kind,
            'communication share' AS characteristic,
            'ratio' AS unit,
            communication_ns / nullif(time_ns, 0) AS value
        FROM spent
        UNION ALL
        SELECT campaign_run_id, 'times', 'load balance', 'ratio', mean_ns / nullif(longest_ns, 0)
        FROM spent
        UNION ALL
        SELECT
            best.campaign_run_id,
            'metric',
            metrics.metric,
            'ratio',
            if(metric_times.value_ns IS NULL, 0, metric_times.share)
        FROM best
        INNER JOIN run_totals USING (campaign_run_id)
        INNER JOIN metrics USING (application)
        LEFT JOIN metric_times USING (campaign_run_id, metric)
        UNION ALL
        SELECT campaign_run_id, 'counter', counter, unit, numerator / nullif(denominator, 0)
        FROM counted
        -- A mean of the trace yields to a derived counter of its name.
        QUALIFY
            row_number() OVER (
                PARTITION BY campaign_run_id, counter, denominator IS NULL ORDER BY is_derived DESC
            ) = 1
        UNION ALL
        SELECT
            campaign_run_id,
            'counter rate',
            counter,
            unit || '/s',
            numerator / nullif(covered_ns, 0) * 1e9
        FROM counted
        WHERE denominator IS NULL
        UNION ALL
        SELECT campaign_run_id, 'perturbation', 'share of the measurement', 'ratio', perturbed_ratio
        FROM campaign_runs
        UNION ALL
        SELECT campaign_run_id, 'monitoring', characteristic, unit, value
        FROM monitored
    )

SELECT
    best.application,
    best.processes,
    best.size,
    characteristics.kind,
    characteristics.characteristic,
    characteristics.unit,
    characteristics.value
FROM best
INNER JOIN characteristics USING (campaign_run_id)
WHERE characteristics.value IS NOT NULL
ORDER BY
    best.application,
    best.processes,
    best.size,
    characteristics.kind,
    characteristics.characteristic
