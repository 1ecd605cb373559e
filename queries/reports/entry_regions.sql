-- Entry regions of the dynamic region call graph, where execution starts.
--
-- Grain:      one row per entry region
-- Inputs:     region_graph_nodes, regions
-- Output:     report section region call graph
-- Parameters: $row_limit  maximum number of regions, largest total first (BIGINT)
SELECT
    regions.name AS region,
    CASE regions.paradigm
        WHEN 'mpi' THEN 'MPI'
        WHEN 'openmp' THEN 'OpenMP'
        ELSE regions.paradigm::VARCHAR
    END AS paradigm,
    region_graph_nodes.visit_count,
    region_graph_nodes.location_count,
    region_graph_nodes.exclusive_ns,
    region_graph_nodes.total_ns - region_graph_nodes.forked_ns AS here_ns,
    region_graph_nodes.forked_ns,
    region_graph_nodes.total_ns AS together_ns
FROM region_graph_nodes
INNER JOIN regions ON region_graph_nodes.region_id = regions.region_id
WHERE region_graph_nodes.is_entry
ORDER BY region_graph_nodes.total_ns DESC, region_graph_nodes.region_id
LIMIT $row_limit::BIGINT
