-- Most expensive edges of the dynamic region call graph: callers and callees.
--
-- Grain:      one row per pair of caller and callee
-- Inputs:     region_graph_edges, regions
-- Output:     report section region call graph
-- Parameters: $row_limit  maximum number of edges, largest total first (BIGINT)
SELECT
    callers.name AS caller,
    callees.name AS callee,
    region_graph_edges.kind::VARCHAR AS kind,
    region_graph_edges.visit_count,
    region_graph_edges.total_ns - region_graph_edges.forked_ns AS here_ns,
    region_graph_edges.forked_ns,
    region_graph_edges.total_ns AS together_ns
FROM region_graph_edges
INNER JOIN regions AS callers ON region_graph_edges.caller_region_id = callers.region_id
INNER JOIN regions AS callees ON region_graph_edges.callee_region_id = callees.region_id
ORDER BY
    region_graph_edges.total_ns DESC,
    region_graph_edges.caller_region_id,
    region_graph_edges.callee_region_id,
    region_graph_edges.kind
LIMIT $row_limit::BIGINT
