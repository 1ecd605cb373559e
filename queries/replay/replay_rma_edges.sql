-- Dependencies by one-sided communication of one moment on one other, for running the trace again.
--
--     kind          waits                            for
--     post          leave of the call that accesses  enter of MPI_Win_post of its target
--     complete      leave of MPI_Win_wait            enter of each MPI_Win_complete
--     lock          leave of a call that waited for  release before it
--                   a window's lock
--
-- Grain:      one row per dependency
-- Inputs:     rma_epochs, rma_epoch_pairs, rma_accesses, late_post, rma_lock_competition,
--             rma_operations
-- Needs rows: rma_epochs or rma_lock_competition
-- Output:     replay_rma_edges
-- Parameters: none
-- Source:     MPI 4.0; Scalasca pattern reference, for what synchronizes
-- Assumes:    the trace shows how calls were matched, and a changed run would match them alike
WITH
    -- An access epoch waits for its targets in MPI_Win_start or its accesses if their posts came
    -- during those, else in MPI_Win_complete.
    opened AS (
        SELECT
            epochs.begin_visit_id AS start_visit_id,
            epochs.end_visit_id AS complete_visit_id,
            epochs.begin_visit_id IN (SELECT visit_id FROM late_post) AS is_in_start,
            epochs.begin_visit_id IN (
                SELECT accesses.start_visit_id
                FROM rma_accesses AS accesses
                INNER JOIN late_post ON accesses.visit_id = late_post.visit_id
                WHERE accesses.start_visit_id IS NOT NULL
            ) AS is_in_access
        FROM rma_epochs AS epochs
        WHERE epochs.role = 'access'
    ),

    edges AS (
        SELECT
            'post' AS kind,
            2 * if(opened.is_in_start, opened.start_visit_id, opened.complete_visit_id) + 1
                AS boundary_id,
            2 * pairs.post_visit_id AS cause_boundary_id
        FROM opened
        INNER JOIN rma_epoch_pairs AS pairs ON opened.start_visit_id = pairs.start_visit_id
        WHERE opened.is_in_start OR NOT opened.is_in_access
        UNION ALL BY NAME
        SELECT
            'post' AS kind,
            2 * accesses.visit_id + 1 AS boundary_id,
            2 * pairs.post_visit_id AS cause_boundary_id
        FROM opened
        INNER JOIN rma_accesses AS accesses ON opened.start_visit_id = accesses.start_visit_id
        INNER JOIN rma_epoch_pairs AS pairs
            ON
                opened.start_visit_id = pairs.start_visit_id
                AND accesses.target_group_id = pairs.target_group_id
        WHERE opened.is_in_access AND NOT opened.is_in_start
        UNION ALL BY NAME
        SELECT
            'complete' AS kind,
            2 * epochs.end_visit_id + 1 AS boundary_id,
            2 * pairs.complete_visit_id AS cause_boundary_id
        FROM rma_epochs AS epochs
        INNER JOIN rma_epoch_pairs AS pairs ON epochs.begin_visit_id = pairs.post_visit_id
        WHERE epochs.role = 'exposure' AND NOT epochs.is_tested
        UNION ALL BY NAME
        SELECT
            'lock' AS kind,
            2 * waits.visit_id + 1 AS boundary_id,
            max(-1 - releases.location_id::BIGINT * 4294967296 - releases.sequence)
                AS cause_boundary_id
        FROM rma_lock_competition AS waits
        INNER JOIN rma_operations AS releases ON waits.cause_visit_id = releases.visit_id
        WHERE releases.kind = 'release_lock'
        GROUP BY waits.visit_id
    )

SELECT DISTINCT
    kind,
    boundary_id::BIGINT AS boundary_id,
    cause_boundary_id::BIGINT AS cause_boundary_id
FROM edges
WHERE boundary_id IS NOT NULL AND cause_boundary_id IS NOT NULL
