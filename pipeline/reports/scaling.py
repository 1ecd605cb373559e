"""Scaling: the declared kind of a campaign, and the results that the report leaves out for it."""

from collections.abc import Mapping, Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material
from tracemill.reports.wording import Row

QUERY = "declared_scalings"
FIXED_SIZE, SCALED_SIZE, BOTH = "fixed size", "scaled size", "both"
_MEANINGS = {
    FIXED_SIZE: "fixed size. Sentences and pictures leave out results for sizes that grow with "
    "processes",
    SCALED_SIZE: "scaled size, which grows with processes. Sentences and pictures leave out "
    "results for a fixed size",
    BOTH: "fixed size, and size growing with processes",
}

Scalings = Mapping[str, str]
"""The declared kind of scaling of each program."""


def declared_scalings(material: Material) -> Scalings:
    """The declared kind of scaling of each program."""
    return {str(row["application"]): str(row["scaling"]) for row in material.rows(QUERY)}


def is_relevant(scalings: Scalings, application: object, constraint: object) -> bool:
    """True if results along a constraint fit the declared scaling of a program."""
    others = {FIXED_SIZE: SCALED_SIZE, SCALED_SIZE: FIXED_SIZE}
    return scalings.get(str(application), BOTH) != others.get(str(constraint))


def describe_scalings(rows: Sequence[Row]) -> str:
    """The declared kinds of scaling in sentences."""
    kinds = dict.fromkeys(str(row["scaling"]) for row in rows)
    sentences = []
    for kind in kinds:
        own = [str(row["application"]) for row in rows if row["scaling"] == kind]
        of = f" for {join_words(own)}" if len(kinds) > 1 else ""
        sentences.append(f"Scaling{of}: {_MEANINGS[kind]}.")
    return " ".join(sentences)
