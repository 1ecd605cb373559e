"""Search longer for damage that does harm: python -m tests.damage TRACE... --ways 5000."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.damage.mutators import FILES
from tests.damage.running import Outcomes, try_ways
from tests.damage.traces import format_of
from tests.damage.worker import Plan


def main(arguments: Sequence[str] | None = None) -> int:
    """Damage copies of traces, print problems as they come, and the outcomes; 1 if any harm."""
    chosen = _parse(arguments)
    plans = [
        Plan(
            trace=trace.resolve(),
            format=format,
            first=chosen.first,
            last=chosen.first + chosen.ways,
            seed=chosen.seed,
            analyzed=chosen.analyzed,
        )
        for trace in chosen.traces
        for format in chosen.format or [format_of(trace)]
    ]
    outcomes = Outcomes()
    for plan, result in try_ways(plans):
        shown = len(outcomes.problems)
        outcomes.add(plan, result)
        for problem in outcomes.problems[shown:]:
            print(problem, flush=True)
    print(outcomes)
    return int(bool(outcomes.problems))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.damage", description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    parser.add_argument("--ways", type=int, default=1_000, help="ways to damage each trace")
    parser.add_argument("--first", type=int, default=0, help="number of the first way")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--analyzed", type=int, default=20, help="analyze every so many copies")
    parser.add_argument(
        "--format", action="append", choices=FILES, help="write the trace so first; may be repeated"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
