"""The description of a campaign, from a TOML file or the command line."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.mistakes import Mistakes
from tracemill.sql.query_files import Value

Scaling = Literal["fixed size", "scaled size", "both"]
Efficiency = Literal["as given", "attainable performance", "speed-up over the smallest run"]
Variants = Literal["apart", "best"]
Format = Literal["timings", "extra-p", "mpip"]


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MeasurementFiles(_Described):
    """Measurements without traces: a file, or a folder of them."""

    path: str
    format: Format | None = None
    application: str = ""


class FailedRun(_Described):
    """A run that failed and has no trace."""

    processes: Annotated[int, Field(ge=1)]
    threads: Annotated[int, Field(ge=1)] = 1
    size: float = 1.0
    application: str = ""
    reason: str = "no reason given"
    out_of_memory: bool = False
    parameters: dict[str, str] = {}


class Description(_Described):
    """A campaign: its runs, the meaning of their parameters, and the analyses.

    Paths are relative to the file. `size` names the parameter that is the problem size;
    `computation_size` is the amount of computation as an expression of it, such as n**3. With
    `variants` "apart", each value of another parameter is a program of its own; with "best", the
    best run of each configuration counts in the grid and in models (Teplov 2014). With
    `memory_failures_are_zero`, runs that ran out of memory have efficiency 0. Call sites are ranked
    over runs of at least `min_processes`, and need a share of at least `share_guard`. `scaled_size`
    is a function of p; `size_per_process`, one of p and the size, is that of efficiency relative to
    size. Programs whose speed-ups have different reference process counts are ranked
    together only with `rank_across_references`: a slower reference makes a speed-up look better.
    `published_marks` is a table of marks to compare with; data/ has one. `monitoring` is a table of
    further characteristics of runs.
    """

    name: str = ""
    application: str = ""
    runs: tuple[str, ...] = ()
    pattern: str = ""
    size: str = ""
    computation_size: str = ""
    variants: Variants = "apart"
    scaling: Scaling = "both"
    efficiency: Efficiency | None = None
    attainable_per_second: Annotated[float, Field(gt=0)] | None = None
    with_setup: bool = False
    size_axis: Literal["size", "computation size"] | None = None
    memory_failures_are_zero: bool | None = None
    min_processes: Annotated[int, Field(ge=1)] | None = None
    share_guard: Annotated[float, Field(ge=0, le=1)] | None = None
    efficiency_bounds: str | None = None
    scaled_size: str | None = None
    size_per_process: str | None = None
    rank_across_references: bool | None = None
    published_marks: str = ""
    monitoring: str = ""
    measurements: tuple[MeasurementFiles, ...] = ()
    failed: tuple[FailedRun, ...] = ()


_PARTS: Mapping[object, type[BaseModel]] = {"measurements": MeasurementFiles, "failed": FailedRun}


def read_fields(path: Path) -> dict[str, Any]:
    """The fields of a campaign file, unchecked. Raises MissingInputError or CampaignError."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CampaignError(f"{path}: not a TOML file: {error}") from error


def check_description(given: dict[str, Any], source: str) -> Description:
    """The description with these fields. Raises CampaignError that names wrong fields."""
    Mistakes(found=mistakes_in(given, source)).report()
    return Description.model_validate(given)


def mistakes_in(given: dict[str, Any], source: str) -> list[str]:
    """A message for each wrong field."""
    try:
        Description.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False)
        return [f"{source}: {describe_problem(problem, Description, _PARTS)}" for problem in found]
    return []


def describe_problem(
    problem: ErrorDetails, model: type[BaseModel], parts: Mapping[object, type[BaseModel]]
) -> str:
    """A message about a wrong field; `parts` are the models of fields that hold other fields."""
    field = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        if len(problem["loc"]) > 1:
            model = parts.get(problem["loc"][0], model)
        return f"unknown field {field}: fields are {', '.join(model.model_fields)}"
    if problem["type"] == "missing":
        return f"{field} is missing"
    return f"{field}: {problem['msg'][0].lower()}{problem['msg'][1:]}, not {problem['input']!r}"


# --- Parameters of stages ------------------------------------------------------------------------

MARKS = "published_marks"
_PARAMETERS = {
    "size_axis": "grid_size_axis",
    "memory_failures_are_zero": "grid_memory_failures_are_zero",
    "min_processes": "min_processes",
    "share_guard": "ranking_share_guard",
    "efficiency_bounds": "efficiency_bounds",
    "scaled_size": "scaled_size",
    "size_per_process": "size_per_process",
    "rank_across_references": "grid_rank_across_references",
}


def parameters_of(description: Description, path: Path) -> dict[str, Value]:
    """Values of the stage parameters that a description sets. Raises MissingInputError."""
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
