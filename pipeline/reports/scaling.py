"""Scaling: which kind a campaign declares, and what is told of a program therefore."""

from collections.abc import Mapping, Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.wording import Row

QUERY = "declared_scalings"
FIXED_SIZE, SCALED_SIZE, BOTH = "fixed size", "scaled size", "both"
_MEANINGS = {
    FIXED_SIZE: "at fixed size: what holds only where sizes grow with processes is left out of "
    "sentences and pictures",
    SCALED_SIZE: "at scaled size, which grows with processes: what holds only for a fixed size is "
    "left out of sentences and pictures",
    BOTH: "both at fixed size and at scaled size, which grows with processes",
}

Scalings = Mapping[str, str]
"""The declared kind of scaling of each program."""


def declared_scalings(material: Material) -> Scalings:
    """What the campaign declares of each program."""
    return {str(row["application"]): str(row["scaling"]) for row in material.rows(QUERY)}


def is_told(scalings: Scalings, application: object, constraint: object) -> bool:
    """Whether what holds along a constraint matters for a program of the declared scaling."""
    others = {FIXED_SIZE: SCALED_SIZE, SCALED_SIZE: FIXED_SIZE}
    return scalings.get(str(application), BOTH) != others.get(str(constraint))


def describe_scalings(rows: Sequence[Row]) -> str:
    """Which kind of scaling was declared, in a sentence."""
    kinds = dict.fromkeys(str(row["scaling"]) for row in rows)
    told = []
    for kind in kinds:
        own = [str(row["application"]) for row in rows if row["scaling"] == kind]
        of = f" for {join_words(own)}" if len(kinds) > 1 else ""
        told.append(f"Scaling is taken{of} {_MEANINGS[kind]}.")
    return " ".join(told)
