-- Neighbors of each rank on the Cartesian grid of a communicator, the partners of MPI_Neighbor_…
-- calls.
--
-- Ranks are numbered along the last dimension first. On a grid of 2 × 3 that is periodic in the
-- second dimension:
--
--     0 1 2        neighbors of 0: 3 (first dimension), 1 and 2 (second dimension)
--     3 4 5
--
-- Grain:      one row per rank and neighbor, for communicators with neighborhood collectives
-- Inputs:     cart_dimensions, communicators, communicator_members, collectives
-- Needs rows: cart_dimensions
-- Output:     cart_neighbors
-- Parameters: none
-- Source:     MPI 4.0, sections 8.5.1 (numbering) and 8.6 (neighbors on a grid)
-- Assumes:    a grid has as many places as its communicator has ranks; other grids belong to
--             another communicator
WITH
    grids AS (
        SELECT
            cart_dimensions.*,
            communicators.size AS member_count,
            coalesce(
                product(cart_dimensions.size) OVER (
                    PARTITION BY cart_dimensions.communicator_id
                    ORDER BY cart_dimensions.dimension DESC
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ),
                1
            ) AS stride
        FROM cart_dimensions
        INNER JOIN communicators
            ON cart_dimensions.communicator_id = communicators.communicator_id
        WHERE
            communicators.kind = 'group'
            AND cart_dimensions.communicator_id IN (
                SELECT communicator_id FROM collectives WHERE is_neighborhood
            )
        QUALIFY
            product(cart_dimensions.size) OVER (PARTITION BY cart_dimensions.communicator_id)
            = communicators.size
    ),

    places AS (
        SELECT
            grids.communicator_id,
            communicator_members.comm_rank,
            grids.size,
            grids.is_periodic,
            grids.stride::BIGINT AS stride,
            communicator_members.comm_rank // grids.stride::BIGINT % grids.size AS place
        FROM grids
        INNER JOIN communicator_members
            ON grids.communicator_id = communicator_members.communicator_id
    ),

    steps AS (
        SELECT *, place - 1 AS target FROM places
        UNION ALL
        SELECT *, place + 1 AS target FROM places
    )

SELECT DISTINCT
    communicator_id,
    comm_rank,
    (comm_rank + ((target + size) % size - place) * stride)::INTEGER AS neighbor_rank
FROM steps
WHERE is_periodic OR target BETWEEN 0 AND size - 1
