-- Number of blocks of performance indices, and of points and fits that they refer to.
--
-- Grain:      one row
-- Inputs:     performance_indices
-- Output:     campaign report section indices
-- Parameters: none
-- Assumes:    a reference without processes is a fit or an estimate, identified by its text
WITH
    blocks AS (
        SELECT DISTINCT
            application,
            block
        FROM performance_indices
    ),

    points AS (
        SELECT DISTINCT
            application,
            reference_processes,
            reference_size
        FROM performance_indices
        WHERE reference_processes IS NOT NULL
    ),

    fits AS (
        SELECT DISTINCT
            application,
            reference_point
        FROM performance_indices
        WHERE reference_processes IS NULL AND reference_point <> 'none'
    )

SELECT
    (SELECT count(*) FROM blocks) AS block_count,
    (SELECT count(*) FROM points) AS point_count,
    (SELECT count(*) FROM fits) AS fit_count
ORDER BY block_count
