"""A cluster whose network is fitted to the messages of a run, as a description."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import MissingInputError
from tracemill.base.files import write_text
from tracemill.engine.asking import Answer, computed_again
from tracemill.forecast.replayed.fitting import LEAST_MESSAGES, Fit, fit_links
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.clusters.reading import parse_cluster
from tracemill.store.runs import Run

# Messages that complete alone in a call that was entered before their sends.
_MEASURED = """
WITH
    received AS (
        SELECT receive_completion_visit_id AS visit_id
        FROM messages
        GROUP BY visit_id
        HAVING count(*) = 1
    ),

    sent AS (SELECT DISTINCT send_completion_visit_id AS visit_id FROM messages)

SELECT
    messages.bytes,
    messages.receive_completion_leave_ns - messages.send_post_enter_ns AS time_ns,
    sending.system_tree_node_id IS DISTINCT FROM receiving.system_tree_node_id AS is_between
FROM messages
INNER JOIN received ON messages.receive_completion_visit_id = received.visit_id
INNER JOIN location_groups AS sending ON messages.sender_group_id = sending.location_group_id
INNER JOIN location_groups AS receiving
    ON messages.receiver_group_id = receiving.location_group_id
INNER JOIN mpi_call_paths AS calls
    ON messages.receive_completion_call_path_id = calls.call_path_id
WHERE
    NOT calls.is_test
    AND messages.receive_completion_visit_id NOT IN (
        SELECT visit_id FROM sent WHERE visit_id IS NOT NULL
    )
    AND messages.receive_completion_enter_ns < messages.send_post_enter_ns
ORDER BY messages.message_id
"""
# Node of each process, in the order of ranks.
_NODES = """
SELECT coalesce(groups.system_tree_node_id, 0)::BIGINT AS node
FROM location_groups AS groups
INNER JOIN (
    SELECT location_group_id, min(rank) AS rank
    FROM locations
    WHERE begin_ns IS NOT NULL AND kind <> 'metric'
    GROUP BY location_group_id
) AS processes ON groups.location_group_id = processes.location_group_id
ORDER BY processes.rank, groups.location_group_id
"""
_LINKS = {False: "inside nodes", True: "between nodes"}
_LEAST_NODES = 1_024
"""Runs with more processes can use the description, too."""


class Fitted(NamedTuple):
    """A description of the fitted cluster, and the fits that it comes from, by link."""

    text: str
    cluster: Cluster
    fits: dict[bool, Fit]


def fit_cluster(run: Run) -> Fitted:
    """The cluster that explains the messages of a run; raises MissingInputError without enough."""
    with computed_again(run, ("mpi_call_paths", "send_limits")) as answer:
        for name in ("messages", "mpi_call_paths", "location_groups", "locations", "send_limits"):
            answer.provide(name)
        fits = fit_links(answer.connection.sql(_MEASURED).fetchnumpy())
        nodes = answer.connection.sql(_NODES).fetchnumpy()["node"]
        limit = _find_limit(answer)
    if not fits:
        raise MissingInputError(
            f"{run.label}: no network can be fitted: no {LEAST_MESSAGES} messages of one size were "
            "received alone by calls that waited for them: give --cluster, or fit another run"
        )
    text = _describe(run.label, fits, nodes, limit)
    name = f"fitted to {run.label}"
    return Fitted(text, parse_cluster(tomllib.loads(text), name, name), fits)


def _find_limit(answer: Answer) -> int | None:
    limits = answer.connection.sql("SELECT min(limit_bytes) FROM send_limits").fetchall()
    ((limit,),) = limits
    return None if limit is None else int(limit)


def _describe(label: str, fits: dict[bool, Fit], nodes: NDArray[Any], limit: int | None) -> str:
    """The description as TOML."""
    _, node_of, sizes = np.unique(nodes, return_inverse=True, return_counts=True)
    fullest, count = int(sizes.max()), len(sizes)
    cores = _place(node_of.tolist(), fullest)
    inside = fits.get(False) or fits[True]
    between = fits.get(True) or fits[False]
    lines = [
        f"# Network fitted to the messages of {label}.",
        *(f"# {_LINKS[each]}: {describe_fit(fit)}" for each, fit in fits.items()),
        f'name = "{_escaped(f"fitted to {label}")}"',
        "overhead_ns = 0",
        *([f"eager_limit_bytes = {limit - 1}"] if limit is not None else []),
        *_level("node", fullest, inside, is_known=False in fits),
        *_level("cluster", max(count, _LEAST_NODES), between, is_known=True in fits),
        *(["", "[placement]", f"cores = {cores}"] if cores != list(range(len(cores))) else []),
        "",
        "[[collective]]",
        'algorithm = "tree"',
    ]
    return "\n".join(lines) + "\n"


def _place(node_of: Sequence[int], fullest: int) -> list[int]:
    """Core of each process: the next one of its node."""
    used: dict[int, int] = {}
    cores = []
    for node in node_of:
        cores.append(node * fullest + used.get(node, 0))
        used[node] = used.get(node, 0) + 1
    return cores


def _level(name: str, units: int, fit: Fit, *, is_known: bool) -> list[str]:
    unknown = "  # unknown: messages of one size only" if fit.line.ns_per_byte is None else ""
    return [
        "",
        "[[level]]",
        f'name = "{name}"',
        f"units = {units}",
        "contention = false",
        "[[level.channel]]" + ("" if is_known else "  # no messages: those of the other links"),
        f"latency_ns = {fit.line.latency_ns:.6g}",
        f"ns_per_byte = {fit.line.slope:.6g}{unknown}",
    ]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def describe_fit(fit: Fit) -> str:
    """The fit in words."""
    low, high = fit.latency_interval
    slope = (
        f"{fit.line.slope:.3g} ns per byte ({fit.slope_interval[0]:.3g} to "
        f"{fit.slope_interval[1]:.3g})"
        if fit.line.ns_per_byte is not None
        else "time per byte unknown, as all messages have about the same size"
    )
    return (
        f"latency {fit.line.latency_ns:,.0f} ns ({low:,.0f} to {high:,.0f}), {slope}; "
        f"{fit.messages:,} messages of {fit.size_count:,} sizes"
    )


def write_fitted(fitted: Fitted, path: Path) -> None:
    """Write the description; raises PipelineError."""
    write_text(path, fitted.text)
