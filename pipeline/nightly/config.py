"""The configuration of a site, a TOML file, and the application of a trace."""

import os
import re
import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tracemill.base.errors import PipelineError, UsageError
from tracemill.campaign.description import describe_problem, mistakes_in
from tracemill.comparison import conditions
from tracemill.store.manifest import SourceRecord

# Fields that are allowed in campaign files only.
_ONLY_IN_FILES = {"runs", "measurements", "failed"}

UNNAMED = "program"
# Usual names of traces, and words before the number of a run.
_USUAL_WORDS = {
    "scorep", "trace", "traces", "otf", "otf2", "csv", "run", "runs", "r", "rep", "job", "jobid",
    "p", "np", "ranks", "t", "threads", "at", "gz",
}  # fmt: skip
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WORD = re.compile(r"([\s_.,:+=@~-]*)([^\s_.,:+=@~-]+)")
# A number, also that of a run such as r7 or p64, or a moment such as 20250301T1405Z.
_NUMBER = re.compile(r"([a-z]*)\d+(?:[tTzZ]\d*)*")


class ConfiguredCampaign(BaseModel):
    """A campaign that every night updates.

    `runs` is the argument of `tracemill campaign`, relative to the file; if empty, all runs of the
    store. All other fields are those of a campaign file.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    runs: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that replace those of the campaign's file."""
        return dict(self.model_extra or {})

    @property
    def name(self) -> str:
        return str(self.fields.get("name") or self.runs or "of all runs")


class Application(BaseModel):
    """An application, and the rules for its new runs.

    The folders of its archives, relative to the source of the night, match `pattern`; `*` and `?`
    stand for any characters, including `/`. New runs are compared with the runs named in
    `baseline`, or else with the last `history` runs. They are worse if a condition of `fail_if` is
    true.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    pattern: Annotated[str, Field(min_length=1)]
    baseline: str = ""
    fail_if: tuple[str, ...] = ()
    history: Annotated[int, Field(ge=1)] = 10


class Config(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    campaigns: tuple[ConfiguredCampaign, ...] = ()
    applications: tuple[Application, ...] = ()


def read_config(path: Path) -> Config:
    """Read the configuration. Raises UsageError that names every mistake in it."""
    try:
        fields = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from error
    try:
        config = Config.model_validate(fields)
    except ValidationError as error:
        mistakes = [
            describe_problem(each, Config, {"applications": Application})
            for each in error.errors(include_url=False)
        ]
    else:
        mistakes = [text for each in config.campaigns for text in _campaign_mistakes(each)]
        mistakes += [text for each in config.applications for text in _condition_mistakes(each)]
    if mistakes:
        raise UsageError("; ".join(f"{path}: {text}" for text in mistakes))
    return config


def _campaign_mistakes(campaign: ConfiguredCampaign) -> list[str]:
    where = f"campaigns: {campaign.runs or 'all runs'}"
    if surplus := sorted(_ONLY_IN_FILES & set(campaign.fields)):
        return [f"{where}: {', '.join(surplus)}: write this into a campaign file and name it"]
    return mistakes_in(campaign.fields, where)


def _condition_mistakes(application: Application) -> list[str]:
    """Mistakes in conditions, found before a night works for hours."""
    mistakes = []
    for condition in application.fail_if:
        try:
            conditions.parse_condition(condition)
        except PipelineError as error:
            mistakes.append(f"applications: {application.name}: fail_if: {error}")
    return mistakes


# --- The application of a trace ------------------------------------------------------------------


def application_of(
    source: SourceRecord, root: Path, applications: Sequence[Application] = ()
) -> str:
    """The name of the application of the trace at `source`.

    It is the first application whose pattern matches the trace's folder, relative to `root`; else
    that path without dates, running numbers and usual names of traces: `lulesh` for
    `lulesh/2025-03-01/scorep-20250301_0312_99`. Numbers after other letters, such as n400, may be a
    problem size and remain. Outside of `root`, the path starts at the common folder, and a pattern
    may match any end of it.
    """
    parts, is_inside = _parts_below(_folder_of(source), root)
    ends = ["/".join(parts[first:]) for first in range(1 if is_inside else max(len(parts), 1))]
    for each in applications:
        if any(fnmatchcase(end, each.pattern) for end in ends):
            return each.name
    name = "/".join(kept for part in parts if (kept := _without_usual_words(part)))
    return name or _without_usual_words(root.absolute().name) or UNNAMED


def _folder_of(source: SourceRecord) -> str:
    """The folder of a trace; of a trace in one file, the file without suffixes."""
    path = Path(source.path)
    if source.format == "csv" and path.suffix:
        return str(path.with_name(path.name.removesuffix(path.suffix).removesuffix(".csv")))
    return str(path.parent if path.suffix else path)


def _parts_below(folder: str, root: Path) -> tuple[list[str], bool]:
    """Names from `root`, or from the common folder, down to `folder`; whether it is inside."""
    absolute = str(root.absolute())
    roots = (absolute, os.path.realpath(absolute))
    inside = next((each for each in roots if Path(folder).is_relative_to(each)), None)
    base = inside if inside is not None else os.path.commonpath((folder, roots[0]))
    relative = os.path.relpath(folder, base)
    return ([] if relative == "." else relative.split(os.sep)), inside is not None


def _without_usual_words(name: str) -> str:
    """A folder's name without words that only distinguish runs."""
    words = _WORD.findall(name)
    kept = [(separator, word) for separator, word in words if not _is_usual(word)]
    return "".join(separator + word for separator, word in kept)[len(kept[0][0]) :] if kept else ""


def _is_usual(word: str) -> bool:
    lower = word.lower()
    number = _NUMBER.fullmatch(lower)
    is_number = number is not None and (not number[1] or number[1] in _USUAL_WORDS)
    return is_number or lower in _USUAL_WORDS or lower in _MONTHS
