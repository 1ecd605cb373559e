-- Which metrics hold what members of a collective operation wait for, and end together after.
--
-- Collectives of neighbours are among them, but are all exchanges of data.
--
-- Grain:      one row per collective operation that waits
-- Inputs:     none
-- Output:     collective_metrics
-- Parameters: none
-- Source:     Scalasca pattern reference, the collective patterns
-- Assumes:    nothing
WITH
    listed (operations, wait_metric, completion_metric) AS (
        VALUES
        (['barrier'], 'mpi_barrier_wait', 'mpi_barrier_completion'),
        (
            [
                'allgather', 'allgatherv', 'alltoall', 'alltoallv', 'alltoallw', 'allreduce',
                'reduce_scatter', 'reduce_scatter_block'
            ],
            'mpi_wait_nxn',
            'mpi_nxn_completion'
        ),
        (['bcast', 'scatter', 'scatterv'], 'mpi_latebroadcast', NULL),
        (['reduce', 'gather', 'gatherv'], 'mpi_earlyreduce', NULL),
        (['scan', 'exscan'], 'mpi_earlyscan', NULL)
    )

SELECT
    unnest(operations) AS operation,
    wait_metric,
    completion_metric
FROM listed
ORDER BY operation
