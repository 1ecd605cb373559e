"""Compare our results with those of Scalasca's trace analyzer: python -m tests.reference TRACES."""

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.reference.cases import REFERENCE_NAME, Case, find_cases
from tests.reference.comparison import Outcome, run_case
from tests.reference.metrics import COMPARED
from tracemill.base.processors import available_threads

LINE = "{:32} {:>5} {:>9} {:>7} {:>5} {:>7}  {}"
SHOWN_CELLS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all cases; 0 if all agree, 1 if not, 2 if there is nothing to compare."""
    chosen = _parse(arguments)
    cases, without = find_cases(chosen.traces)
    unknown = set(chosen.case) - {case.name for case in cases}
    if not cases or unknown:
        what = ", ".join(sorted(unknown)) or f"a trace with {REFERENCE_NAME}"
        print(f"{chosen.traces} does not hold {what}", file=sys.stderr)
        return 2
    cases = [case for case in cases if not chosen.case or case.name in chosen.case]
    metrics = frozenset(chosen.metric or COMPARED)
    print(LINE.format("case", "ranks", "events", "cells", "off", "seconds", "worst"))
    outcomes = []
    for outcome in _outcomes(cases, metrics, chosen.jobs):
        print(_line(outcome), flush=True)
        outcomes.append(outcome)
    _print_the_rest(outcomes, without)
    return 0 if all(outcome.is_good for outcome in outcomes) else 1


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reference", description=__doc__)
    add = partial(parser.add_argument, default=[], action="append")
    parser.add_argument("traces", type=Path, help="folder of traces, each with reference.csv")
    add("--case", help="run only this case; may be given several times")
    add("--metric", choices=sorted(COMPARED), metavar="METRIC", help="compare only this metric")
    parser.add_argument(
        "--jobs", type=int, default=available_threads(), help="cases at a time (all processors)"
    )
    return parser.parse_args(arguments)


def _outcomes(cases: Sequence[Case], metrics: frozenset[str], jobs: int) -> Iterator[Outcome]:
    """Run cases in a few lasting processes: starting one takes longer than most cases."""
    jobs = max(1, min(jobs, len(cases)))
    threads = max(1, available_threads() // jobs)
    run = partial(run_case, metrics=metrics, threads=threads)
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(run, cases)


def _line(outcome: Outcome) -> str:
    compared = outcome.comparison
    return LINE.format(
        outcome.case,
        outcome.rank_count,
        outcome.event_count,
        compared.cell_count,
        len(compared.off),
        f"{outcome.seconds:.2f}",
        "; ".join(_problems(outcome)),
    ).rstrip()


def _problems(outcome: Outcome) -> Iterator[str]:
    compared = outcome.comparison
    if outcome.error:
        yield outcome.error
    if compared.missing:
        yield f"not emitted: {', '.join(compared.missing)}"
    if compared.undeclared:
        yield f"emitted by both but not compared: {', '.join(compared.undeclared)}"
    if compared.resolved:
        yield f"agrees, but listed as unresolved: {compared.resolved}"
    yield from outcome.broken_checks
    yield from map(str, compared.off[:SHOWN_CELLS])


def _print_the_rest(outcomes: Sequence[Outcome], without: Sequence[str]) -> None:
    if without:
        print(f"no reference, left out: {', '.join(without)}")
    for left_out in sorted({each.left_out for each in outcomes if each.left_out}):
        where = [each.case for each in outcomes if each.left_out == left_out]
        print(f"not compared: {', '.join(left_out)} in {len(where)} cases: {', '.join(where)}")
    beyond = sorted({name for each in outcomes for name in each.comparison.reference_only})
    if beyond:
        print(f"in the reference only: {', '.join(beyond)}")
    print(_totals(outcomes))


def _totals(outcomes: Sequence[Outcome]) -> str:
    comparisons = [outcome.comparison for outcome in outcomes]
    failed = sum(not outcome.is_good for outcome in outcomes)
    cells = sum(each.cell_count for each in comparisons)
    off = sum(len(each.off) for each in comparisons)
    return f"{len(outcomes)} cases, {failed} failed; {cells:,} cells compared, {off:,} off"


if __name__ == "__main__":
    sys.exit(main())
