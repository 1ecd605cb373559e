"""Curves over the number of processes: speed-up against the ideal, and shares of time."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracemill.reports.pictures.drawing import INK, SERIES, drawn, new_figure, to_svg

BAND = 0.8


@dataclass(frozen=True)
class Curve:
    """A named row of points: numbers of processes and values."""

    name: str
    processes: tuple[int, ...]
    values: tuple[float, ...]


@drawn
def draw_scaling(curves: Sequence[Curve], name: str) -> str:
    """Speed-up per curve, with the ideal line and the band down to 80 % of it."""
    figure = new_figure(460, 320)
    axes = figure.add_subplot()
    most = max((p for curve in curves for p in curve.processes), default=1)
    ends = [1.0, float(max(most, 2))]
    axes.plot(ends, ends, color=INK, linewidth=1, linestyle="--", label="ideal")
    axes.fill_between(
        ends, [BAND * end for end in ends], ends, color=INK, alpha=0.1, label="within 80 % of it"
    )
    _plot(axes, curves)
    axes.set_yscale("log", base=2)
    _finish(axes, "speed-up", _processes_of(curves))
    axes.yaxis.set_major_formatter("{x:g}")
    return to_svg(figure, name)


@drawn
def draw_curves(curves: Sequence[Curve], name: str, label: str) -> str:
    """Shares per curve over the number of processes."""
    figure = new_figure(460, 280)
    axes = figure.add_subplot()
    _plot(axes, curves)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    _finish(axes, label, _processes_of(curves))
    return to_svg(figure, name)


def _plot(axes, curves: Sequence[Curve]) -> None:  # type: ignore[no-untyped-def]
    for number, curve in enumerate(curves):
        axes.plot(
            curve.processes, curve.values, marker="o", markersize=3.5, linewidth=1.5,
            color=SERIES[number % len(SERIES)], label=curve.name,
        )  # fmt: skip


def _finish(axes, label: str, processes: Sequence[int]) -> None:  # type: ignore[no-untyped-def]
    axes.set_xscale("log", base=2)
    axes.set_xticks(processes, [f"{p}" for p in processes])
    axes.minorticks_off()
    axes.set_xlabel("processes")
    axes.set_ylabel(label)
    axes.grid(visible=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _processes_of(curves: Sequence[Curve]) -> list[int]:
    found = sorted({p for curve in curves for p in curve.processes})
    step = max(1, -(-len(found) // 12))
    return found[::step]
