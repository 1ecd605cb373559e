-- Which functions call MPI, how often, and how much time do these calls take?
--
-- Grain:      one row per caller and MPI call
-- Inputs:     region_graph_edges, regions, mpi_calls
-- Output:     answer
-- Parameters: none
SELECT
    callers.name AS caller,
    callees.name AS mpi_call,
    sum(edges.visit_count)::BIGINT AS visit_count,
    sum(edges.inclusive_ns) / 1e9 AS seconds
FROM region_graph_edges AS edges
INNER JOIN mpi_calls ON edges.callee_region_id = mpi_calls.region_id
INNER JOIN regions AS callees ON edges.callee_region_id = callees.region_id
INNER JOIN regions AS callers ON edges.caller_region_id = callers.region_id
GROUP BY callers.region_id, callees.region_id, callers.name, callees.name
ORDER BY seconds DESC, callers.region_id, callees.region_id
