-- Access epochs, each with the matching exposure epochs of its targets.
--
-- The n-th access epoch of a process that includes a target matches the n-th exposure epoch of that
-- target that includes the process:
--
--     rank 0   start {1, 2}      …   start {2}
--     rank 1   post {0}              for the first
--     rank 2   post {0}              for the first,   post {0}   for the second
--
-- Grain:      one row per access epoch and target with an exposure epoch for it
-- Inputs:     rma_epochs, rma_group_members
-- Needs rows: rma_epochs
-- Output:     rma_epoch_pairs
-- Parameters: none
-- Source:     MPI 4.0, section 12.5.2: epochs of a pair of processes match in order
-- Assumes:    nothing
WITH
    partners AS (
        SELECT DISTINCT
            rma_group_id,
            location_group_id AS partner_group_id
        FROM rma_group_members
        SEMI JOIN rma_epochs USING (rma_group_id)
        WHERE location_group_id IS NOT NULL
    ),

    sides AS (
        SELECT
            rma_epochs.*,
            partners.partner_group_id,
            row_number() OVER (
                PARTITION BY role, rma_window_id, location_group_id, partner_group_id
                ORDER BY begin_position
            ) AS ordinal
        FROM rma_epochs
        INNER JOIN partners USING (rma_group_id)
    ),

    accessing AS (SELECT * FROM sides WHERE role = 'access'),

    exposed AS (SELECT * FROM sides WHERE role = 'exposure')

SELECT
    accessing.begin_visit_id AS start_visit_id,
    exposed.location_group_id AS target_group_id,
    exposed.begin_visit_id AS post_visit_id,
    exposed.begin_location_id AS post_location_id,
    exposed.begin_enter_ns AS post_enter_ns,
    accessing.end_visit_id AS complete_visit_id,
    accessing.end_location_id AS complete_location_id,
    accessing.end_call_path_id AS complete_call_path_id,
    accessing.end_enter_ns AS complete_enter_ns
FROM accessing
INNER JOIN exposed
    ON
        accessing.rma_window_id = exposed.rma_window_id
        AND accessing.location_group_id = exposed.partner_group_id
        AND accessing.partner_group_id = exposed.location_group_id
        AND accessing.ordinal = exposed.ordinal
