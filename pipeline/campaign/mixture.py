"""Finds runs of different programs that go by one name."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tracemill.base.errors import CampaignError

# Where every program begins tells nothing about it.
_BEGINNINGS = ("main", "MAIN__", "MAIN_", "_start", "start_thread")
_LEAST_SHARE = 0.25


@dataclass(frozen=True)
class _Program:
    """What is known of a program: one of its runs, and the functions of all."""

    label: str
    regions: set[str]


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
    """The programs of which an application has runs, told by the functions that runs share.

    Runs are of one program if a quarter of the functions of the one with fewer is in the other:
    programs of a suite have some in common. Where people say themselves that all are of one
    application, a single function is enough.
    """

    def __init__(self, *, is_told: bool) -> None:
        self._least_share = 0.0 if is_told else _LEAST_SHARE
        self._programs: dict[str, list[_Program]] = {}

    def add(self, application: str, label: str, regions: set[str]) -> None:
        """Take note of a run; one without regions of its own may be of any program."""
        if not regions:
            return
        known = self._programs.setdefault(application, [])
        related = [program for program in known if self._are_one(program.regions, regions)]
        merged = _Program(
            label=min([label, *(program.label for program in related)]),
            regions=regions.union(*(program.regions for program in related)),
        )
        self._programs[application] = [
            *(program for program in known if program not in related),
            merged,
        ]

    def _are_one(self, some: set[str], others: set[str]) -> bool:
        shared = len(some & others) / min(len(some), len(others))
        return shared > 0 and shared >= self._least_share

    def check(self) -> None:
        """Raise CampaignError if runs of one application cannot be of one program."""
        for application, programs in sorted(self._programs.items()):
            if len(programs) > 1:
                one, other = sorted(program.label for program in programs)[:2]
                raise CampaignError(
                    f"{application}: runs of {len(programs)} programs go by this name, as {one} "
                    f"and {other} share hardly a function: tell them apart by {{application}} in "
                    "the pattern or a column application, or make a campaign of each; if they are "
                    "of one program, name it with --application"
                )
