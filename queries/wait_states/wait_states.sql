-- All time lost in waiting, each with its cause.
--
-- Grain:      one row per visit and property that lost time in it
-- Inputs:     late_sender, late_receiver, collective_waits, collective_completions,
--             nonblocking_collective_waits, init_completion, wait_at_finalize, team_barrier_waits
-- Output:     wait_states
-- Parameters: none
-- Source:     see the queries of the properties
-- Assumes:    nothing
WITH
    waits AS (
        FROM late_sender
        UNION ALL
        FROM late_receiver
        UNION ALL
        FROM collective_waits
        UNION ALL
        FROM nonblocking_collective_waits
        UNION ALL
        FROM wait_at_finalize
        UNION ALL
        FROM team_barrier_waits
    ),

    completions AS (
        FROM collective_completions
        UNION ALL
        FROM init_completion
    )

SELECT *, FALSE AS is_completion
FROM waits
UNION ALL
SELECT *, TRUE AS is_completion
FROM completions
ORDER BY property, visit_id
