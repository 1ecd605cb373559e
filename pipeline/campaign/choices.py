"""What a description chooses for the stages of a campaign."""

from pathlib import Path

from tracemill.base.errors import MissingInputError
from tracemill.campaign.description import Description
from tracemill.sql.query_files import Value

MARKS = "published_marks"
_PARAMETERS = {
    "size_axis": "grid_size_axis",
    "memory_failures_are_zero": "grid_memory_failures_are_zero",
    "min_processes": "min_processes",
    "share_guard": "ranking_share_guard",
    "efficiency_bounds": "efficiency_bounds",
    "scaled_size": "scaled_size",
    "rank_across_references": "grid_rank_across_references",
}


def parameters_of(description: Description, path: Path) -> dict[str, Value]:
    """Values of stage parameters that a description chooses; others keep their defaults.

    Raises MissingInputError if the table of published marks cannot be read.
    """
    chosen: dict[str, Value] = {
        parameter: getattr(description, field)
        for field, parameter in _PARAMETERS.items()
        if getattr(description, field) is not None
    }
    if description.published_marks:
        marks = path.parent / description.published_marks
        try:
            chosen[MARKS] = marks.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise MissingInputError(f"cannot read {marks}: {error}") from error
    return chosen
