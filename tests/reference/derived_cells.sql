-- What the reference derives from its results, which it prints with six digits.
--
-- Grain:      one row per metric, node of the reference's call tree, rank and thread
-- Inputs:     none
-- Output:     derived cells
-- Parameters: $derived   file of derived metrics, a column each (VARCHAR)
--             $reference file of results, which names call paths and locations (VARCHAR)
-- Assumes:    both number call paths and locations alike
WITH
    derived AS (
        SELECT
            "Cnode ID" AS cnode_id,
            "Thread ID" AS location_id,
            value::DOUBLE AS value
        FROM (
            UNPIVOT (FROM read_csv($derived::VARCHAR, header = TRUE, all_varchar = TRUE))
            ON * EXCLUDE ("Cnode ID", "Thread ID")
            INTO NAME metric VALUE value
        )
        WHERE metric = 'critical_path_imbalance'
    ),

    results AS (
        SELECT cnode_id, callpath, location_id, rank, thread
        FROM read_csv($reference::VARCHAR, header = TRUE)
    ),

    call_paths AS (SELECT DISTINCT cnode_id, callpath FROM results),

    locations AS (SELECT DISTINCT location_id, rank, thread FROM results)

SELECT
    'critical_path_imbalance' AS metric,
    call_paths.callpath AS call_path,
    locations.rank,
    locations.thread,
    derived.value,
    -- Half of the sixth digit.
    if(derived.value > 0, pow(10, floor(log10(derived.value)) - 5) / 2, 0) AS rounding
FROM derived
INNER JOIN call_paths ON derived.cnode_id = call_paths.cnode_id
INNER JOIN locations ON derived.location_id = locations.location_id
ORDER BY call_path, rank, thread
