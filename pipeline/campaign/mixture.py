"""Finds runs of different programs that have the same application name."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tracemill.base.errors import CampaignError

# Every program has these, so they do not identify one.
_BEGINNINGS = ("main", "MAIN__", "MAIN_", "_start", "start_thread")
_LEAST_SHARE = 0.25


@dataclass(frozen=True)
class _Program:
    """A program: the label of one of its runs, and the regions of all of them."""

    label: str
    regions: set[str]


def own_regions(call_paths: pa.Table) -> dict[str, set[str]]:
    """Names of the regions of each run, by run id, without communication and program start.

    `call_paths` are rows of gathered_call_paths. Runs without such regions are left out.
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
    """The programs behind each application name, distinguished by their regions.

    Two runs are of one program if they share a quarter of the regions of the run with fewer,
    because the programs of a suite share some. If `is_name_given`, one shared region is enough.
    """

    def __init__(self, *, is_name_given: bool) -> None:
        self._least_share = 0.0 if is_name_given else _LEAST_SHARE
        self._programs: dict[str, list[_Program]] = {}

    def add(self, application: str, label: str, regions: set[str]) -> None:
        """Add a run; a run without regions may belong to any program."""
        if not regions:
            return
        programs = self._programs.setdefault(application, [])
        related = [program for program in programs if self._are_one(program.regions, regions)]
        merged = _Program(
            label=min([label, *(program.label for program in related)]),
            regions=regions.union(*(program.regions for program in related)),
        )
        self._programs[application] = [
            *(program for program in programs if program not in related),
            merged,
        ]

    def _are_one(self, some: set[str], others: set[str]) -> bool:
        shared = len(some & others) / min(len(some), len(others))
        return shared > 0 and shared >= self._least_share

    def check(self) -> None:
        """Raise CampaignError if an application has runs of several programs."""
        for application, programs in sorted(self._programs.items()):
            if len(programs) > 1:
                one, other = sorted(program.label for program in programs)[:2]
                raise CampaignError(
                    f"{application}: runs of {len(programs)} programs have this name: {one} and "
                    f"{other} share hardly any function: separate them with {{application}} in "
                    "the pattern, with a column application, or with a campaign for each; if they "
                    "are one program, name it with --application"
                )
