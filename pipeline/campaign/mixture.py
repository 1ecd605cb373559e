"""Finds runs of different programs that go by one name."""

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import CampaignError

# Where every program begins tells nothing about it.
_BEGINNINGS = ("main", "MAIN__", "MAIN_", "_start", "start_thread")


def own_regions(call_paths: pa.Table) -> dict[str, set[str]]:
    """Names of the regions of each run that are neither communication nor the program's start.

    Of the rows of gathered_call_paths; runs without such regions are left out.
    """
    is_own = pc.and_(
        pc.and_(pc.is_null(call_paths["operation"]), pc.greater(call_paths["depth"], 0)),
        pc.invert(pc.is_in(call_paths["region"], value_set=pa.array(_BEGINNINGS))),
    )
    found: dict[str, set[str]] = {}
    pairs = call_paths.filter(is_own).group_by(["run_id", "region"]).aggregate([])
    for row in pairs.to_pylist():
        found.setdefault(row["run_id"], set()).add(row["region"])
    return found


class Programs:
    """The programs of which an application has runs: those that share a region are of one."""

    def __init__(self) -> None:
        self._programs: dict[str, list[tuple[set[str], str]]] = {}

    def add(self, application: str, label: str, regions: set[str]) -> None:
        """Take note of a run; one without regions of its own may be of any program."""
        if not regions:
            return
        known = self._programs.setdefault(application, [])
        related = [each for each in known if not each[0].isdisjoint(regions)]
        first = related[0][1] if related else label
        unrelated = [each for each in known if each[0].isdisjoint(regions)]
        whole = set(regions).union(*(each[0] for each in related))
        self._programs[application] = [*unrelated, (whole, first)]

    def check(self) -> None:
        """Raise CampaignError if runs of one application cannot be of one program."""
        for application, programs in sorted(self._programs.items()):
            if len(programs) > 1:
                one, other = sorted(label for _, label in programs)[:2]
                raise CampaignError(
                    f"{application}: runs of {len(programs)} programs go by this name, as {one} "
                    f"and {other} share no function: tell them apart by {{application}} in the "
                    "pattern or a column application, or make a campaign of each"
                )
