-- Root causes of waiting per call path.
--
-- A cause has passed on the waiting of others that waited for its victims. Idle threads are left
-- out: their time is not waiting for a late call.
--
-- Grain:      one row per call path that caused waiting
-- Inputs:     root_causes, severities, main_waits, call_paths, regions, mpi_calls, locations,
--             region_classes, overhead_classes, call_path_sources
-- Needs rows: root_causes
-- Output:     report section root causes
-- Parameters: $row_limit  maximum number of call paths, most expensive causes first (BIGINT)
-- Source:     Böhme et al. 2016, "Identifying the root causes of wait states in large-scale
--             parallel applications"
-- Assumes:    of equals, the location with the smallest number counts
WITH
    -- Kinds of waiting that are charged to causes.
    charged AS (
        FROM (
            VALUES
            ('mpi_latesender'), ('mpi_latereceiver'), ('mpi_barrier_wait'), ('mpi_wait_nxn'),
            ('mpi_latebroadcast'), ('mpi_earlyreduce'), ('omp_ebarrier_wait'),
            ('omp_ibarrier_wait'), ('device_wait')
        ) AS kinds (metric)
    ),

    -- All of this waiting, and its part in the main part.
    waiting AS (
        SELECT
            (SELECT sum(value) FROM severities WHERE metric IN (FROM charged)) AS waiting_ns,
            (SELECT sum(main_ns) FROM main_waits WHERE kind IN (FROM charged)) AS main_ns
    ),

    costly AS (
        SELECT call_path_id
        FROM root_causes
        WHERE kind <> 'ompidle'
        GROUP BY call_path_id
        ORDER BY round(sum(direct_ns) + sum(passed_on_ns))::BIGINT DESC, call_path_id
        LIMIT $row_limit::BIGINT
    ),

    -- The kind of waiting that a call path causes most.
    mainly AS (
        SELECT call_path_id, arg_max(kind, caused_ns) AS kind
        FROM (
            SELECT call_path_id, kind, sum(direct_ns + passed_on_ns) AS caused_ns
            FROM root_causes
            SEMI JOIN costly USING (call_path_id)
            WHERE kind <> 'ompidle'
            GROUP BY call_path_id, kind
            ORDER BY kind
        )
        GROUP BY call_path_id
    ),

    -- One row per call path and location; place 1 costs most.
    caused AS (
        SELECT
            call_path_id,
            location_id,
            sum(direct_ns) AS direct_ns,
            sum(passed_on_ns) AS passed_on_ns,
            row_number() OVER (
                PARTITION BY call_path_id
                ORDER BY sum(direct_ns) + sum(passed_on_ns) DESC, location_id
            ) AS place
        FROM root_causes
        SEMI JOIN costly USING (call_path_id)
        WHERE kind <> 'ompidle'
        GROUP BY call_path_id, location_id
    ),

    causes AS (
        SELECT
            caused.call_path_id,
            sum(caused.direct_ns + caused.passed_on_ns) AS cause_ns,
            sum(caused.direct_ns) AS direct_ns,
            sum(caused.passed_on_ns) AS passed_on_ns,
            any_value(locations.rank) FILTER (WHERE caused.place = 1) AS worst_rank,
            any_value(locations.thread) FILTER (WHERE caused.place = 1) AS worst_thread,
            max(caused.direct_ns + caused.passed_on_ns) AS worst_ns,
            any_value(caused.direct_ns) FILTER (WHERE caused.place = 1) AS worst_direct_ns,
            list(caused.direct_ns + caused.passed_on_ns) AS costs
        FROM caused
        INNER JOIN locations ON caused.location_id = locations.location_id
        GROUP BY caused.call_path_id
    )

SELECT
    call_paths.path AS call_path,
    sources.source,
    round(causes.cause_ns)::BIGINT AS caused_ns,
    causes.cause_ns / nullif(waiting.waiting_ns, 0) AS caused_ratio,
    round(causes.direct_ns)::BIGINT AS direct_ns,
    round(causes.passed_on_ns)::BIGINT AS passed_on_ns,
    causes.worst_rank,
    causes.worst_thread,
    round(causes.worst_ns)::BIGINT AS worst_ns,
    -- Locations that cause at least 1% of it.
    len(list_filter(causes.costs, lambda cost: cost >= causes.cause_ns / 100)) AS location_count,
    round(causes.worst_direct_ns)::BIGINT AS worst_direct_ns,
    mpi_calls.region_id IS NOT NULL AS is_mpi,
    coalesce(mpi_calls.is_setup, FALSE) OR regions.paradigm = 'measurement_system' AS is_setup,
    waiting.waiting_ns::BIGINT AS waiting_ns,
    coalesce(waiting.main_ns, 0)::BIGINT AS main_waiting_ns,
    mainly.kind::VARCHAR AS kind,
    classes.overhead_subclass::VARCHAR AS operation
FROM causes
CROSS JOIN waiting
INNER JOIN mainly ON causes.call_path_id = mainly.call_path_id
INNER JOIN call_paths ON causes.call_path_id = call_paths.call_path_id
INNER JOIN regions ON call_paths.region_id = regions.region_id
LEFT JOIN call_path_sources AS sources ON causes.call_path_id = sources.call_path_id
LEFT JOIN mpi_calls ON call_paths.region_id = mpi_calls.region_id
LEFT JOIN region_classes ON call_paths.region_id = region_classes.region_id
LEFT JOIN overhead_classes AS classes ON region_classes.overhead_id = classes.overhead_id
ORDER BY caused_ns DESC, causes.call_path_id
