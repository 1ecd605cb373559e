-- Calls whose waiting for other threads is not sure: in barriers of teams, and for locks.
--
-- A barrier may lack members wherever a thread of its process lacks records. A lock is taken in the
-- order of its numbers: where the record before is not the release that the number asks for, or
-- the number before was not given back as often as it was taken, who held it until when is not
-- known.
--
--     acquire 4   release 4   acquire 5                           sure
--     acquire 4               acquire 5                           may have waited until taken
--     acquire 4   acquire 4   release 4   release 4   acquire 5   sure
--     acquire 4   acquire 4   release 4               acquire 5   may have waited until taken
--
-- Clocks of threads that contradict each other in a barrier leave all such waits of the process
-- open.
--
-- Grain:      one row per metric, visit and reason
-- Inputs:     lock_operations, team_barriers, disturbed_processes, trace_quality, visits, regions,
--             locations
-- Needs rows: lock_operations or team_barriers or disturbed_processes or trace_quality
-- Output:     thread_doubts
-- Parameters: none
-- Source:     the rules of team_barriers and lock_contention, for a partner at any time
-- Assumes:    as lock_contention; of a lock that is made anew the first release is there; of one
--             number not as many acquires as releases are missing, if any is left; where no lock
--             of a runtime is recorded, nobody asked for them
WITH
    lossy_processes AS (
        SELECT location_group_id, reason::VARCHAR AS reason, since_ns
        FROM disturbed_processes
        WHERE thread_count > 1
        UNION ALL
        SELECT locations.location_group_id, 'incomplete_records', NULL
        FROM trace_quality
        INNER JOIN locations USING (location_id)
        WHERE trace_quality.kind = 'team_without_fork'
    ),

    contradicting_processes AS (
        SELECT DISTINCT locations.location_group_id
        FROM team_barriers
        INNER JOIN locations USING (location_id)
        WHERE team_barriers.last_enter_ns > team_barriers.leave_ns
    ),

    metrics AS (
        SELECT
            region_id,
            paradigm::VARCHAR AS paradigm,
            role IN ('barrier', 'implicit_barrier') AS is_barrier,
            CASE
                WHEN role = 'barrier' THEN 'omp_ebarrier_wait'
                WHEN role = 'implicit_barrier' THEN 'omp_ibarrier_wait'
                WHEN role = 'critical' THEN 'omp_lock_contention_critical'
                WHEN starts_with(name, 'omp_') THEN 'omp_lock_contention_api'
                WHEN starts_with(name, 'pthread_cond_') THEN 'pthread_lock_contention_conditional'
                ELSE 'pthread_lock_contention_mutex_lock'
            END AS metric
        FROM regions
        WHERE
            (paradigm = 'openmp' AND role IN ('barrier', 'implicit_barrier', 'critical'))
            OR name IN (
                'omp_set_lock', 'omp_set_nest_lock', 'pthread_mutex_lock', 'pthread_cond_wait',
                'pthread_cond_timedwait'
            )
    ),

    -- What was taken as often as given back is free: a nested lock is given back several times.
    records AS (
        SELECT
            lock_operations.*,
            locations.location_group_id,
            count(*) FILTER (WHERE lock_operations.kind = 'acquire') OVER until_now
            = count(*) FILTER (WHERE lock_operations.kind = 'release') OVER until_now AS is_free
        FROM lock_operations
        INNER JOIN locations USING (location_id)
        WHERE lock_operations.visit_id IS NOT NULL
        WINDOW
            until_now AS (
                PARTITION BY
                    locations.location_group_id,
                    lock_operations.paradigm,
                    lock_operations.lock_id,
                    lock_operations.acquisition_order
                ORDER BY
                    lock_operations.time_ns,
                    lock_operations.kind,
                    lock_operations.location_id,
                    lock_operations.sequence
                ROWS UNBOUNDED PRECEDING
            )
    ),

    operations AS (
        SELECT
            *,
            lag({
                'is_free': kind = 'release' AND is_free,
                'location_id': location_id,
                'acquisition_order': acquisition_order
            }) OVER (
                PARTITION BY location_group_id, paradigm, lock_id
                ORDER BY time_ns, acquisition_order, kind, location_id, sequence
            ) AS before
        FROM records
    ),

    acquisitions AS (
        SELECT
            *,
            acquisition_order > 1
            AND NOT coalesce(
                (before.is_free AND before.acquisition_order = operations.acquisition_order - 1)
                -- A nested lock that the thread has already.
                OR (
                    before.location_id = operations.location_id
                    AND before.acquisition_order = operations.acquisition_order
                ),
                FALSE
            ) AS is_unsure
        FROM operations
        WHERE kind = 'acquire'
    ),

    doubts AS (
        SELECT
            metrics.metric,
            FALSE AS is_beyond_reference,
            visits.location_id,
            visits.visit_id,
            visits.call_path_id,
            lossy_processes.reason,
            visits.leave_ns - visits.enter_ns AS most_ns
        FROM visits
        INNER JOIN metrics USING (region_id)
        INNER JOIN locations USING (location_id)
        INNER JOIN lossy_processes USING (location_group_id)
        WHERE
            metrics.is_barrier AND coalesce(visits.leave_ns > lossy_processes.since_ns, TRUE)
        UNION ALL
        SELECT
            metrics.metric,
            FALSE,
            visits.location_id,
            visits.visit_id,
            visits.call_path_id,
            'clock_violation',
            visits.leave_ns - visits.enter_ns
        FROM visits
        INNER JOIN metrics USING (region_id)
        INNER JOIN locations USING (location_id)
        SEMI JOIN contradicting_processes USING (location_group_id)
        WHERE metrics.is_barrier OR metrics.paradigm IN (SELECT paradigm FROM lock_operations)
        UNION ALL
        SELECT
            if(
                operations.paradigm IN ('openmp', 'pthread') AND metrics.metric IS NOT NULL,
                metrics.metric,
                if(
                    operations.paradigm = 'openmp',
                    'omp_lock_contention_api', 'pthread_lock_contention_mutex_lock'
                )
            ),
            operations.paradigm NOT IN ('openmp', 'pthread'),
            operations.location_id,
            operations.visit_id,
            operations.call_path_id,
            'incomplete_records',
            operations.time_ns - operations.enter_ns
        FROM acquisitions AS operations
        INNER JOIN visits USING (visit_id)
        LEFT JOIN metrics USING (region_id)
        WHERE operations.is_unsure
        UNION ALL
        SELECT
            metrics.metric,
            FALSE,
            visits.location_id,
            visits.visit_id,
            visits.call_path_id,
            'incomplete_records',
            visits.leave_ns - visits.enter_ns
        FROM visits
        INNER JOIN metrics USING (region_id)
        ANTI JOIN acquisitions ON visits.visit_id = acquisitions.visit_id
        WHERE
            NOT metrics.is_barrier
            AND metrics.paradigm IN (SELECT paradigm FROM lock_operations)
    )

SELECT
    metric,
    is_beyond_reference,
    location_id,
    visit_id,
    call_path_id,
    reason,
    0::BIGINT AS least_ns,
    max(most_ns) AS most_ns
FROM doubts
GROUP BY metric, is_beyond_reference, location_id, visit_id, call_path_id, reason
ORDER BY metric, visit_id, reason, is_beyond_reference
