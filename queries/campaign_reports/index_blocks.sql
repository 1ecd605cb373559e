-- Number of blocks of performance indices.
--
-- Grain:      one row
-- Inputs:     performance_indices
-- Output:     campaign report section indices
-- Parameters: none
WITH
    blocks AS (
        SELECT DISTINCT
            application,
            block
        FROM performance_indices
    )

SELECT count(*) AS block_count
FROM blocks
ORDER BY block_count
