-- Number of process pairs that one-sided communication synchronized, and how many of them did not
-- need it.
--
-- A pair is counted where the access epoch ends: at MPI_Win_complete, with each target that has a
-- matching exposure epoch; at a fence that follows another fence of the window, with all other
-- processes of the window. A pair was not needed if the epoch has no operation on the target's
-- memory.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     rma_epoch_pairs, rma_accesses, rma_collectives
-- Needs rows: rma_epoch_pairs or rma_collectives
-- Output:     rma_synchronization_counts
-- Parameters: none
-- Source:     Scalasca pattern reference, "MPI Pair-wise One-sided Synchronizations"
-- Assumes:    nothing
WITH
    accessed_in_epochs AS (
        SELECT DISTINCT
            start_visit_id,
            target_group_id
        FROM rma_accesses
        WHERE start_visit_id IS NOT NULL
    ),

    completed AS (
        SELECT
            rma_epoch_pairs.complete_call_path_id AS call_path_id,
            rma_epoch_pairs.complete_location_id AS location_id,
            1 AS pair_count,
            (accessed_in_epochs.start_visit_id IS NULL)::INTEGER AS unneeded_count
        FROM rma_epoch_pairs
        LEFT JOIN accessed_in_epochs USING (start_visit_id, target_group_id)
        WHERE rma_epoch_pairs.complete_visit_id IS NOT NULL
    ),

    accessed_before_fences AS (
        SELECT
            rma_window_id,
            fence_ordinal AS ordinal,
            location_group_id,
            count(DISTINCT target_group_id) AS target_count
        FROM rma_accesses
        WHERE fence_ordinal IS NOT NULL AND target_group_id <> location_group_id
        GROUP BY ALL
    ),

    later_fences AS (
        SELECT *
        FROM rma_collectives
        WHERE purpose = 'fence' AND is_complete
        QUALIFY
            row_number() OVER (
                PARTITION BY rma_window_id, location_group_id ORDER BY ordinal
            ) > 1
    ),

    fenced AS (
        SELECT
            later_fences.call_path_id,
            later_fences.location_id,
            later_fences.partner_count AS pair_count,
            later_fences.partner_count - coalesce(accessed_before_fences.target_count, 0)
                AS unneeded_count
        FROM later_fences
        LEFT JOIN accessed_before_fences USING (rma_window_id, ordinal, location_group_id)
    ),

    summed AS (
        SELECT
            call_path_id,
            location_id,
            sum(pair_count)::BIGINT AS pair_count,
            sum(unneeded_count)::BIGINT AS unneeded_count
        FROM (FROM completed UNION ALL FROM fenced)
        GROUP BY ALL
    )

SELECT
    'mpi_rma_pairsync_count' AS metric,
    call_path_id,
    location_id,
    pair_count AS value
FROM summed
WHERE pair_count <> 0
UNION ALL
SELECT
    'mpi_rma_pairsync_unneeded_count',
    call_path_id,
    location_id,
    unneeded_count
FROM summed
WHERE unneeded_count <> 0
ORDER BY metric, call_path_id, location_id
