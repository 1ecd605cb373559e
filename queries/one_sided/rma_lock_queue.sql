-- Previous owner of each lock: the process whose release the lock epoch depended on.
--
-- The trace records when locks are requested and released, but not when they are acquired.
-- Incompatible owners cannot overlap, so the previous owner is the incompatible process with the
-- last release before the process's own release:
--
--     rank 1   lock ─────── unlock
--     rank 2     lock ┄┄┄┄┄┄┄┄┄┄┄┄─────── unlock           depended on rank 1
--     rank 3       lock ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄─── unlock    depended on rank 2
--
-- An exclusive lock depends on all releases, a shared lock only on releases of exclusive locks; the
-- lock of all ranks is shared. Of equal releases, the one of the lowest location counts.
--
-- Grain:      one row per lock epoch
-- Inputs:     rma_lock_epochs
-- Needs rows: rma_lock_epochs
-- Output:     rma_lock_queue
-- Parameters: none
-- Source:     MPI 4.0, section 12.5.3
-- Assumes:    clocks are synchronized
WITH
    epochs AS (
        SELECT
            *,
            {
                'release_ns': release_ns,
                'precedence': -unlock_location_id,
                'location_id': unlock_location_id,
                'visit_id': unlock_visit_id,
                'enter_ns': unlock_enter_ns
            } AS owner
        FROM rma_lock_epochs
    ),

    releases_at_target AS (
        SELECT
            rma_window_id,
            target_rank,
            release_ns,
            max(owner) AS owner
        FROM epochs
        WHERE target_rank IS NOT NULL
        GROUP BY rma_window_id, target_rank, release_ns
    ),

    exclusive_releases_at_target AS (
        SELECT
            rma_window_id,
            target_rank,
            release_ns,
            max(owner) AS owner
        FROM epochs
        WHERE target_rank IS NOT NULL AND is_exclusive
        GROUP BY rma_window_id, target_rank, release_ns
    ),

    exclusive_releases AS (
        SELECT
            rma_window_id,
            release_ns,
            max(owner) AS owner
        FROM epochs
        WHERE is_exclusive
        GROUP BY rma_window_id, release_ns
    ),

    releases_of_all AS (
        SELECT
            rma_window_id,
            release_ns,
            max(owner) AS owner
        FROM epochs
        WHERE target_rank IS NULL
        GROUP BY rma_window_id, release_ns
    ),

    exclusive AS (
        SELECT
            epochs.lock_visit_id,
            epochs.lock_position,
            list_max([releases_at_target.owner, releases_of_all.owner]) AS owner
        FROM epochs
        ASOF LEFT JOIN releases_at_target
            ON
                epochs.rma_window_id = releases_at_target.rma_window_id
                AND epochs.target_rank = releases_at_target.target_rank
                AND epochs.release_ns > releases_at_target.release_ns
        ASOF LEFT JOIN releases_of_all
            ON
                epochs.rma_window_id = releases_of_all.rma_window_id
                AND epochs.release_ns > releases_of_all.release_ns
        WHERE epochs.is_exclusive
    ),

    shared AS (
        SELECT
            epochs.lock_visit_id,
            epochs.lock_position,
            releases.owner
        FROM epochs
        ASOF LEFT JOIN exclusive_releases_at_target AS releases
            ON
                epochs.rma_window_id = releases.rma_window_id
                AND epochs.target_rank = releases.target_rank
                AND epochs.release_ns > releases.release_ns
        WHERE NOT epochs.is_exclusive AND epochs.target_rank IS NOT NULL
    ),

    shared_of_all AS (
        SELECT
            epochs.lock_visit_id,
            epochs.lock_position,
            releases.owner
        FROM epochs
        ASOF LEFT JOIN exclusive_releases AS releases
            ON
                epochs.rma_window_id = releases.rma_window_id
                AND epochs.release_ns > releases.release_ns
        WHERE NOT epochs.is_exclusive AND epochs.target_rank IS NULL
    )

SELECT
    lock_visit_id,
    lock_position,
    owner.location_id AS owner_location_id,
    owner.visit_id AS owner_visit_id,
    owner.enter_ns AS owner_enter_ns,
    owner.release_ns AS owner_release_ns
FROM (FROM exclusive UNION ALL FROM shared UNION ALL FROM shared_of_all)
