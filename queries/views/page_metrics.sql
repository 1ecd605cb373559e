-- Metrics as pages show them: a tree in which overhead classes are parts of the time.
--
-- All waiting, what caused it, and the losses of efficiency are wholes that only pages show: their
-- parts do not overlap. Natural joins and patterns of columns let the same text read one run, or
-- several with run_id; a metric has the same number in all of them.
--
-- Grain:      one row per metric
-- Inputs:     metrics
-- Output:     page_metrics
-- Parameters: none
-- Source:     none
-- Assumes:    every run has the metric time
WITH
    wholes (metric, parent_metric, kind, title, meaning) AS (
        VALUES
        (
            'all_waiting', NULL, 'wait state', 'Waiting',
            'Time in calls that wait for a late location.'
        ),
        (
            'all_causes', NULL, 'delay', 'Root causes',
            'Waiting of others that the call path causes, directly or passed on by others.'
        ),
        (
            'pop_losses', NULL, 'efficiency', 'Efficiency losses',
            'Time without computation in the main part, by the efficiency of POP that it lowers.'
        ),
        (
            'load_imbalance_ns', 'pop_losses', 'efficiency', 'Load imbalance',
            'Time by which the location computes less than the one that computes longest.'
        ),
        (
            'serialization_ns', 'pop_losses', 'efficiency', 'Serialization',
            'Waiting that remains on an ideal network.'
        ),
        (
            'transfer_ns', 'pop_losses', 'efficiency', 'Transfer',
            'Time by which the run would be shorter on an ideal network.'
        ),
        (
            'communication_ns', 'pop_losses', 'efficiency', 'Communication',
            'Serialization and transfer, which contradictory clocks do not let separate.'
        ),
        (
            'openmp_serialization_ns', 'pop_losses', 'efficiency', 'OpenMP serialization',
            'Time of workers outside of teams while their first thread is not in MPI.'
        ),
        (
            'openmp_load_imbalance_ns', 'pop_losses', 'efficiency', 'OpenMP load imbalance',
            'Waiting in barriers of teams.'
        ),
        (
            'openmp_scheduling_ns', 'pop_losses', 'efficiency', 'OpenMP scheduling',
            'All other time in teams, such as starting them.'
        )
    ),

    -- One row for each run.
    runs_with_time AS (SELECT COLUMNS('^(run_id|metric)$') FROM metrics WHERE metric = 'time'),

    described AS (
        SELECT
            COLUMNS('^(run_id|metric|parent_metric|title|meaning)$'),
            kind::VARCHAR AS kind,
            unit::VARCHAR AS unit
        FROM metrics
        UNION ALL BY NAME
        SELECT
            runs_with_time.* EXCLUDE (metric),
            wholes.*,
            'ns' AS unit
        FROM runs_with_time
        CROSS JOIN wholes
        -- A pattern of a user may have this name.
        WHERE wholes.metric NOT IN (SELECT metrics.metric FROM metrics)
    ),

    nested AS (
        SELECT
            * REPLACE (
                CASE
                    -- Imbalance between partitions is no part of its parent: it has a distribution
                    -- of its own.
                    WHEN kind = 'critical path' THEN NULL
                    -- Waiting, the third part of idle time, appears as wait states. Findings may
                    -- overlap with other parts of their parent.
                    WHEN kind IN ('idle', 'finding') THEN NULL
                    -- Of imbalance only the overload is explored.
                    WHEN metric = 'imbalance_above' THEN NULL
                    WHEN kind = 'overhead' THEN coalesce(parent_metric, 'time')
                    WHEN metric IN ('all_waiting', 'all_causes') THEN NULL
                    WHEN kind = 'wait state' AND unit = 'ns'
                        THEN coalesce(parent_metric, 'all_waiting')
                    WHEN kind = 'delay' AND starts_with(metric, 'delay_ompidle') THEN NULL
                    WHEN kind = 'delay' AND starts_with(metric, 'delay_') THEN 'all_causes'
                    ELSE parent_metric
                END AS parent_metric,
                CASE
                    -- Indirect and propagating waiting is part of the waiting, not its cause.
                    WHEN kind = 'delay' AND starts_with(metric, 'mpi_') THEN 'indirect'
                    -- Idle threads do not wait for a late call.
                    WHEN starts_with(metric, 'delay_ompidle') THEN 'threads'
                    ELSE kind
                END AS kind
            )
        FROM described
    )

SELECT
    COLUMNS('^(run_id|metric|parent_metric)$'),
    kind,
    title,
    unit,
    meaning,
    dense_rank() OVER (
        ORDER BY
            list_position(
                [
                    'profile',
                    'overhead',
                    'wait state',
                    'delay',
                    'efficiency',
                    'indirect',
                    'imbalance',
                    'completion',
                    'finding',
                    'threads',
                    'idle',
                    'critical path',
                    'communication',
                    'input/output'
                ],
                kind
            ) NULLS LAST,
            metric <> 'time',
            metric
    )::SMALLINT AS metric_number
FROM nested
