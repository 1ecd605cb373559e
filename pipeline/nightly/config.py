"""What a site wants of its nights, as it says in a TOML file."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tracemill.base.errors import PipelineError, UsageError
from tracemill.campaign.description import mistakes_in

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# Only a campaign file can say these.
_ONLY_IN_FILES = {"runs", "measurements", "failed"}


class NightlyCampaign(BaseModel):
    """A campaign that every night updates.

    `runs` is what `tracemill campaign` takes, relative to the file: a folder, a campaign file, a
    list; without it all runs of the store. Any other field is one of a campaign file.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    runs: str = ""

    @property
    def told(self) -> dict[str, Any]:
        """The fields that go before those of the campaign's file."""
        return dict(self.model_extra or {})


class WatchedApplication(BaseModel):
    """What is known of an application: see `outcome.Application`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    pattern: Annotated[str, Field(min_length=1)]
    baseline: str = ""
    fail_if: tuple[str, ...] = ()
    history: Annotated[int, Field(ge=1)] = 10


class Config(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    campaigns: tuple[NightlyCampaign, ...] = ()
    applications: tuple[WatchedApplication, ...] = ()


def read_config(path: Path) -> Config:
    """Read the file of a site's nights. Raises UsageError that names all that is wrong with it."""
    try:
        given = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from error
    try:
        config = Config.model_validate(given)
    except ValidationError as error:
        found = [_describe(problem) for problem in error.errors(include_url=False)]
    else:
        found = [text for each in config.campaigns for text in _mistakes_in(each)]
        found += [text for each in config.applications for text in _mistakes_in_conditions(each)]
    if found:
        raise UsageError("; ".join(f"{path}: {text}" for text in found))
    return config


def _mistakes_in(campaign: NightlyCampaign) -> list[str]:
    told = campaign.told
    where = f"campaigns: {campaign.runs or 'all runs'}"
    if surplus := sorted(_ONLY_IN_FILES & set(told)):
        return [f"{where}: {', '.join(surplus)}: write this into a campaign file and name it"]
    return mistakes_in(told, where)


def _mistakes_in_conditions(application: WatchedApplication) -> list[str]:
    """What is wrong with conditions, before a night has worked for hours."""
    from tracemill.comparison import conditions  # which needs SciPy

    found = []
    for condition in application.fail_if:
        try:
            conditions.parse(condition)
        except PipelineError as error:
            found.append(f"applications: {application.name}: fail_if: {error}")
    return found


def _describe(problem: "ErrorDetails") -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        model = WatchedApplication if problem["loc"][0] == "applications" else Config
        return f"unknown field {place}: fields are {', '.join(model.model_fields)}"
    if problem["type"] == "missing":
        return f"{place} is missing"
    return f"{place}: {problem['msg'][0].lower()}{problem['msg'][1:]}, not {problem['input']!r}"
