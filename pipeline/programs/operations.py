"""The collective operations: names, families, and sizes sent and received."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tracemill.kernels.simulation import layout as at


@dataclass(frozen=True)
class Operation:
    """A collective: `code` is its number in OTF2; `varies` if sizes differ between members."""

    name: str
    code: int
    family: int
    varies: bool = False
    is_beyond: bool = False

    def call(self, *, is_nonblocking: bool) -> str:
        """The MPI call's name."""
        return f"MPI_I{self.name}" if is_nonblocking else f"MPI_{self.name.capitalize()}"

    def sizes(
        self, rank: int, count: int, root: int, size: int, silent: frozenset[int]
    ) -> tuple[int, int]:
        """Bytes that one of `count` members sends and receives; silent members send nothing.

        In alltoallv and alltoallw, silent members of odd rank receive nothing either.
        """
        own = 0 if self.varies and rank in silent else size
        if self.family == at.ONE_TO_N:
            return (size * count, size) if rank == root else (0, own)
        if self.family == at.N_TO_ONE:
            return (own, size * count) if rank == root else (own, 0)
        if self.family == at.BARRIER:
            return 0, 0
        if self.family == at.SCAN:
            return size, 0 if self.name == "exscan" and rank == 0 else size
        is_idle = (
            self.name.endswith(("alltoallv", "alltoallw")) and rank in silent and rank % 2 == 1
        )
        sources = min(count, 2) if self.family == at.RING else count
        return own, 0 if is_idle else size * sources


OPERATIONS: Final[Mapping[str, Operation]] = {
    each.name: each
    for each in (
        Operation("barrier", 0, at.BARRIER),
        Operation("bcast", 1, at.ONE_TO_N),
        Operation("gather", 2, at.N_TO_ONE),
        Operation("gatherv", 3, at.N_TO_ONE, varies=True),
        Operation("scatter", 4, at.ONE_TO_N),
        Operation("scatterv", 5, at.ONE_TO_N, varies=True),
        Operation("allgather", 6, at.N_TO_N),
        Operation("allgatherv", 7, at.N_TO_N, varies=True),
        Operation("alltoall", 8, at.N_TO_N),
        Operation("alltoallv", 9, at.N_TO_N, varies=True, is_beyond=True),
        Operation("alltoallw", 10, at.N_TO_N, varies=True, is_beyond=True),
        Operation("allreduce", 11, at.N_TO_N),
        Operation("reduce", 12, at.N_TO_ONE),
        Operation("reduce_scatter", 13, at.N_TO_N),
        Operation("scan", 14, at.SCAN),
        Operation("exscan", 15, at.SCAN),
        Operation("reduce_scatter_block", 16, at.N_TO_N),
        Operation("neighbor_allgather", 6, at.RING, is_beyond=True),
        Operation("neighbor_alltoallv", 9, at.RING, varies=True, is_beyond=True),
    )
}
