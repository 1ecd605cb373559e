"""The command that shows the iterations of a run's main loop."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import results
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import RunName, StorePath, check_positive

if TYPE_CHECKING:
    from tracemill.reports.material import Material
    from tracemill.store.runs import Run

_COMPUTED = ("iteration_loop", "iteration_candidates", "iterations")


def iterations(
    run: RunName = None,
    /,
    *,
    slowest: Annotated[int, Parameter(validator=check_positive)] = 5,
    iteration_head: str | None = None,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Print the iterations of a run's main loop, or why no loop was found.

    Parameters
    ----------
    slowest
        Number of iterations to print, the slowest ones. Other formats print all in order.
    iteration_head
        Region or call path that begins every iteration, instead of the found one.
    format
        How to print the iterations.
    """
    from tracemill.reports.sections import iterations as section
    from tracemill.reports.terminal import print_section
    from tracemill.shell.formats import print_rows
    from tracemill.store.finding import open_run

    opened = open_run(store, run)
    opened.require_visits("the search for iterations needs")
    with _opened(opened, iteration_head) as material:
        if iteration_head is not None:
            _check_head(material, iteration_head)
        if format != "table":
            print_rows(*material.fetch(section.TIMES), format, results())
            return
        built = section.build(material, replace(section.SLOWEST, row_limit=slowest))
        if built is None:
            results().print("No main loop was found: no region recurs on every process.")
        else:
            print_section(built, results())


@contextmanager
def _opened(run: "Run", head: str | None) -> "Iterator[Material]":
    """The tables of the run, with the iterations of a named head."""
    from tracemill.reports.material import Material

    if head is not None:
        from tracemill.engine.asking import computed_again
        from tracemill.engine.focusing.resolve import full_name

        if not head:
            raise UsageError("--iteration-head needs the name of a region or a call path")
        with computed_again(run, _COMPUTED, iteration_head=full_name(run, head)) as answer:
            yield Material(answer.connection, run.manifest, provide=answer.provide)
        return
    connection = run.connect(tables=())
    try:
        yield Material(connection, run.manifest, provide=partial(run.provide, connection))
    finally:
        connection.close()


def _check_head(material: "Material", head: str) -> None:
    """Refuse a head that is absent, or whose number of visits differs between processes."""
    from tracemill.reports.sections.iterations import OVERVIEW, REFUSALS

    if material.rows(OVERVIEW):
        return
    for row in material.rows_of(REFUSALS):
        raise UsageError(
            f"--iteration-head {head}: processes visit it differently often: {row['least_count']} "
            f"times on rank {row['least_rank']}, {row['most_count']} on rank {row['most_rank']}"
        )
    raise UsageError(
        f"--iteration-head {head}: no first thread visits a region or call path of this name: "
        f"recurring regions: {_name_regions(material) or 'none'}"
    )


def _name_regions(material: "Material") -> str:
    """Regions that could be heads, in one line."""
    from tracemill.base.text import join_words

    return join_words([str(row["region"]) for row in material.rows("recurring_regions", 8)])
