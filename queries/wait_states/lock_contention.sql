-- Threads that waited for a lock until another thread released it.
--
--     thread 0   [lock]held....[unlock]
--     thread 1         [lock ....|..]held          waits from the call's begin to the release
--                                acquired
--
-- A wait for a condition variable ends when its mutex is acquired again. It also counts from the
-- call's begin to the last release of the mutex. If a call acquires several locks, its longest wait
-- counts.
--
-- Grain:      one row per visit that waited for a lock
-- Inputs:     lock_operations, locations, call_paths, regions
-- Needs rows: lock_operations
-- Output:     lock_contention
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    omp_lock_contention_critical, omp_lock_contention_api,
--             pthread_lock_contention_mutex_lock, pthread_lock_contention_conditional
-- Source:     Scalasca pattern reference, "OpenMP Critical Contention Time", "OpenMP Lock API
--             Contention Time", "Pthread Lock Contention Time" on mutexes and conditions
-- Assumes:    clocks of the threads of a process agree; calls that acquire locks do nothing else;
--             locks are acquired in the order of their numbers, which may start again
WITH
    operations AS (
        SELECT
            lock_operations.location_id,
            lock_operations.kind,
            lock_operations.visit_id,
            lock_operations.call_path_id,
            lock_operations.time_ns,
            lock_operations.enter_ns,
            lock_operations.paradigm,
            locations.location_group_id,
            lock_operations.lock_id,
            lock_operations.acquisition_order
        FROM lock_operations
        INNER JOIN locations USING (location_id)
        WHERE lock_operations.visit_id IS NOT NULL
    ),

    -- The latest release counts, because the same thread may acquire a recursive lock several
    -- times.
    waits AS (
        SELECT
            acquired.visit_id,
            acquired.location_id,
            acquired.call_path_id,
            acquired.enter_ns,
            acquired.paradigm,
            max((released.time_ns - acquired.enter_ns, released.location_id, released.visit_id))
                AS longest
        FROM (FROM operations WHERE kind = 'acquire') AS acquired
        ASOF INNER JOIN (FROM operations WHERE kind = 'release') AS released
            ON
                acquired.location_group_id = released.location_group_id
                AND acquired.paradigm = released.paradigm
                AND acquired.lock_id = released.lock_id
                AND acquired.acquisition_order = released.acquisition_order + 1
                AND acquired.time_ns >= released.time_ns
        WHERE released.time_ns > acquired.enter_ns
        GROUP BY ALL
    )

SELECT
    CASE
        WHEN regions.role = 'critical' THEN 'omp_lock_contention_critical'
        WHEN waits.paradigm = 'openmp' THEN 'omp_lock_contention_api'
        WHEN starts_with(regions.name, 'pthread_cond_') THEN 'pthread_lock_contention_conditional'
        ELSE 'pthread_lock_contention_mutex_lock'
    END AS property,
    waits.location_id,
    waits.visit_id,
    waits.call_path_id,
    waits.enter_ns AS start_ns,
    waits.longest[1] AS wait_ns,
    waits.longest[2] AS cause_location_id,
    waits.longest[3] AS cause_visit_id,
    TRUE AS is_synchronization,
    waits.paradigm NOT IN ('openmp', 'pthread') AS is_extended
FROM waits
INNER JOIN call_paths USING (call_path_id)
INNER JOIN regions USING (region_id)
