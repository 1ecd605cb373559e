-- Workers that wait for their master: for the answer to a request, or for their first work.
--
-- These are the Late Sender waits caused by the master, for whatever reason.
--
-- Grain:      one row per visit of a worker that waited for its master
-- Inputs:     master_workers, wait_states, locations
-- Needs rows: master_workers, wait_states
-- Output:     master_worker_starving
-- Parameters: none
-- Pattern:    finding
-- Metrics:    master_worker_starving
-- Source:     Wolf and Mohr (EXPERT): master and workers
-- Assumes:    as for Late Sender
SELECT
    wait_states.call_path_id,
    wait_states.location_id,
    wait_states.visit_id,
    wait_states.start_ns,
    wait_states.wait_ns AS value,
    wait_states.cause_location_id,
    wait_states.cause_visit_id,
    least(wait_states.confidence, master_workers.confidence) AS confidence
FROM master_workers
INNER JOIN locations AS workers ON master_workers.worker_group_id = workers.location_group_id
INNER JOIN locations AS masters ON master_workers.master_group_id = masters.location_group_id
INNER JOIN wait_states
    ON
        workers.location_id = wait_states.location_id
        AND masters.location_id = wait_states.cause_location_id
WHERE wait_states.property IN ('mpi_latesender', 'mpi_lswo_same', 'mpi_lswo_different')
