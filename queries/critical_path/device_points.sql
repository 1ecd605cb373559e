-- Synchronization points of threads with streams of accelerators.
--
--     thread   [launch]..work..[synchronize ....|..]     device: waits for the end of the kernel
--     stream       [kernel .....................]        launch: begins when the thread wants it
--
-- A kernel begins where a thread launched it, or after the kernel before it on its stream if that
-- one ended after the launch. Waits are left out if no launch of their stream is known.
--
-- Grain:      one row per call that waited for a kernel, and per kernel that waited for none
-- Inputs:     kernels, device_waits, visits
-- Needs rows: device_waits
-- Output:     device_points
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2), with kernels as activities; not in Scalasca
-- Assumes:    clocks of the process and its accelerators agree
WITH
    queued AS (
        SELECT
            *,
            max(leave_ns) OVER (
                PARTITION BY location_id
                ORDER BY visit_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS free_ns
        FROM kernels
        SEMI JOIN device_waits ON kernels.location_id = device_waits.cause_location_id
    ),

    launched AS (
        SELECT
            'launch' AS kind,
            location_id,
            visit_id,
            call_path_id,
            enter_ns,
            leave_ns,
            0 AS wait_ns,
            launch_location_id AS cause_location_id,
            launch_visit_id AS cause_visit_id,
            enter_ns AS cause_enter_ns
        FROM queued
        WHERE launch_visit_id IS NOT NULL AND coalesce(free_ns <= launch_enter_ns, TRUE)
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
