-- Processes that exchange data in neighborhood collectives on grids.
--
-- Grain:      one row per communicator, process and neighbor
-- Inputs:     cart_neighbors, communicator_members, locations
-- Output:     calls of a program
-- Parameters: none
-- Assumes:    nothing
WITH
    ranks AS (
        SELECT
            communicator_members.communicator_id,
            communicator_members.comm_rank,
            locations.rank
        FROM communicator_members
        INNER JOIN locations USING (location_id)
    )

SELECT
    cart_neighbors.communicator_id,
    owners.rank AS sender,
    neighbors.rank AS receiver
FROM cart_neighbors
INNER JOIN ranks AS owners
    ON
        cart_neighbors.communicator_id = owners.communicator_id
        AND cart_neighbors.comm_rank = owners.comm_rank
INNER JOIN ranks AS neighbors
    ON
        cart_neighbors.communicator_id = neighbors.communicator_id
        AND cart_neighbors.neighbor_rank = neighbors.comm_rank
WHERE owners.rank <> neighbors.rank
ORDER BY cart_neighbors.communicator_id, owners.rank, neighbors.rank
