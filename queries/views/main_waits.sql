-- Waiting, each wait with the kind that includes its property, and its part in the main part.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per visit and property with waiting; completion is left out
-- Inputs:     wait_states, metrics, main_part
-- Output:     main_waits
-- Parameters: none
-- Source:     none
-- Assumes:    nothing
WITH RECURSIVE
    nested AS (
        SELECT COLUMNS('^(run_id|metric|parent_metric)$')
        FROM metrics
        WHERE kind = 'wait state'
    ),

    names AS (SELECT metric FROM nested),

    -- Each wait state, and every metric that includes it.
    wider AS (
        SELECT
            metric AS property,
            COLUMNS('^(run_id|metric)$')
        FROM nested
        UNION ALL
        SELECT
            property,
            COLUMNS('^(run_id|metric)$')
        FROM (
            SELECT * REPLACE (parent_metric AS metric)
            FROM wider
            NATURAL INNER JOIN nested
        )
        WHERE metric IN (FROM names)
    ),

    kinds AS (
        SELECT
            COLUMNS('^(run_id|property)$'),
            metric AS kind
        FROM wider
        NATURAL INNER JOIN nested
        WHERE parent_metric IS NULL OR parent_metric NOT IN (FROM names)
    ),

    waiting AS (
        SELECT
            *,
            TRUE AS is_any
        FROM wait_states
        NATURAL LEFT JOIN kinds
        WHERE NOT is_completion
    ),

    parts AS (
        SELECT
            COLUMNS('^(run_id|begin_ns|end_ns)$'),
            TRUE AS is_any
        FROM main_part
    )

SELECT
    * EXCLUDE (is_any, is_completion, begin_ns, end_ns, kind),
    coalesce(kind, property) AS kind,
    coalesce(
        greatest(least(start_ns + wait_ns, end_ns) - greatest(start_ns, begin_ns), 0), wait_ns
    ) AS main_ns
FROM waiting
NATURAL LEFT JOIN parts
