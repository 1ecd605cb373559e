-- Synchronization points of threads with streams of accelerators.
--
--     thread   [launch]..work..[synchronize ....|..]     device: waits for the end of the kernel
--     stream       [kernel .....................]        launch: begins when the thread wants it
--
-- A kernel begins where a thread launched it, or after the kernel before it on its stream if that
-- one ended after the launch. The launch is the last launching call of the process before the
-- kernel begins. Waits are left out if no launch of their stream is known.
--
-- Grain:      one row per call that waited for a kernel, and per kernel that waited for none
-- Inputs:     device_calls, device_waits, visits, locations
-- Needs rows: device_waits
-- Output:     device_points
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2), with kernels as activities; not in Scalasca
-- Assumes:    clocks of the process and its accelerators agree
WITH
    launches AS (
        SELECT
            locations.rank,
            visits.enter_ns,
            max((visits.visit_id, visits.location_id)) AS call
        FROM visits
        INNER JOIN device_calls ON visits.call_path_id = device_calls.call_path_id
        INNER JOIN locations ON visits.location_id = locations.location_id
        WHERE device_calls.is_launch AND locations.kind <> 'gpu'
        GROUP BY locations.rank, visits.enter_ns
    ),

    kernels AS (
        SELECT
            visits.*,
            locations.rank,
            max(visits.leave_ns) OVER (
                PARTITION BY visits.location_id
                ORDER BY visits.visit_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS free_ns
        FROM visits
        INNER JOIN locations ON visits.location_id = locations.location_id
        SEMI JOIN device_waits ON visits.location_id = device_waits.cause_location_id
        WHERE visits.parent_visit_id IS NULL
    ),

    launched AS (
        SELECT
            'launch' AS kind,
            kernels.location_id,
            kernels.visit_id,
            kernels.call_path_id,
            kernels.enter_ns,
            kernels.leave_ns,
            0 AS wait_ns,
            launches.call[2] AS cause_location_id,
            launches.call[1] AS cause_visit_id,
            kernels.enter_ns AS cause_enter_ns
        FROM kernels
        ASOF INNER JOIN launches
            ON kernels.rank = launches.rank AND kernels.enter_ns >= launches.enter_ns
        WHERE coalesce(kernels.free_ns <= launches.enter_ns, TRUE)
    ),

    awaited AS (
        SELECT
            'device' AS kind,
            waits.location_id,
            waits.visit_id,
            waits.call_path_id,
            waits.start_ns AS enter_ns,
            callers.leave_ns,
            waits.wait_ns,
            waits.cause_location_id,
            waits.cause_visit_id,
            waits.start_ns + waits.wait_ns AS cause_enter_ns
        FROM device_waits AS waits
        INNER JOIN visits AS callers ON waits.visit_id = callers.visit_id
        ASOF INNER JOIN launched
            ON
                waits.cause_location_id = launched.location_id
                AND waits.cause_visit_id >= launched.visit_id
    )

SELECT * FROM launched
UNION ALL BY NAME
SELECT * FROM awaited
ORDER BY visit_id, kind
