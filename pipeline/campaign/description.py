"""What a campaign consists of, as its user describes it in a TOML file or on the command line."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.mistakes import Mistakes

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

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
    """A run that did not end well, so that there is no trace of it."""

    processes: Annotated[int, Field(ge=1)]
    threads: Annotated[int, Field(ge=1)] = 1
    size: float = 1.0
    application: str = ""
    reason: str = "not told"
    out_of_memory: bool = False
    parameters: dict[str, str] = {}


class Description(_Described):
    """A campaign: where its runs are, what their parameters mean, and what is to be computed.

    Paths are relative to the file. `size` is the parameter that is the problem size, and
    `computation_size` the amount of computation as an expression of it, such as n**3. `variants`
    says what becomes of runs that differ in other parameters: each is a program of its own, or the
    best of each configuration counts in the grid and in models (Teplov 2014). The marks of
    the grid are over `size_axis`, and may count runs that ran out of memory as efficiency 0. Call
    sites are ranked over runs of `min_processes` or more, and matter from `share_guard` on.
    Efficiency is held against `efficiency_bounds`, while sizes grow as `scaled_size` of p.
    Programs whose speed-ups refer to different numbers of processes are ranked together only with
    `rank_across_references`, as a speed-up looks better the slower its reference.
    `published_marks` is a table of marks to compare with, such as that in data/.
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
    whole_run: bool = False
    include_setup: bool = False
    size_axis: Literal["size", "computation size"] | None = None
    memory_failures_are_zero: bool | None = None
    min_processes: Annotated[int, Field(ge=1)] | None = None
    share_guard: Annotated[float, Field(ge=0, le=1)] | None = None
    efficiency_bounds: str | None = None
    scaled_size: str | None = None
    rank_across_references: bool | None = None
    published_marks: str = ""
    measurements: tuple[MeasurementFiles, ...] = ()
    failed: tuple[FailedRun, ...] = ()


_FIELDS_OF: dict[object, type[BaseModel]] = {
    "measurements": MeasurementFiles,
    "failed": FailedRun,
}


def read_fields(path: Path) -> dict[str, Any]:
    """What a campaign file says, unchecked. Raises MissingInputError, or CampaignError."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CampaignError(f"{path}: not a TOML file: {error}") from error


def check_description(given: dict[str, Any], source: str) -> Description:
    """Check a description given as a dictionary. Raises CampaignError that names the fields."""
    mistakes = Mistakes(found=mistakes_in(given, source))
    mistakes.tell()
    return Description.model_validate(given)


def mistakes_in(given: dict[str, Any], source: str) -> list[str]:
    """What is wrong with each field that is."""
    try:
        Description.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False)
        return [f"{source}: {_describe(problem)}" for problem in found]
    return []


def _describe(problem: "ErrorDetails") -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        fields = _FIELDS_OF.get(problem["loc"][0] if len(problem["loc"]) > 1 else "", Description)
        return f"unknown field {place}: fields are {', '.join(fields.model_fields)}"
    if problem["type"] == "missing":
        return f"{place} is missing"
    return f"{place}: {problem['msg'][0].lower()}{problem['msg'][1:]}, not {problem['input']!r}"
