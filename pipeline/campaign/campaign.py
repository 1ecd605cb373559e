"""Make a campaign: find its runs, analyze their traces, and compute what they tell together."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.analyzing import Analyzed, analyze_members
from tracemill.campaign.checking import check_choices
from tracemill.campaign.choices import MARKS, parameters_of
from tracemill.campaign.configurations import FAILED as RUN_FAILED
from tracemill.campaign.configurations import (
    MEASURED,
    OUT_OF_MEMORY,
    RunRecord,
    number_runs,
    repeated,
    special_parameters,
)
from tracemill.campaign.description import (
    Description,
    FailedRun,
    check_description,
    mistakes_in,
    read_fields,
)
from tracemill.campaign.discovery import (
    FoundTraces,
    Member,
    find_members,
    lists_runs,
    members_of_store,
    read_run_list,
)
from tracemill.campaign.inputs import holds_measurements, read_measurements
from tracemill.campaign.measured import records_of
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import PROCESSES, REPETITION, SIZE, THREADS, check_name_pattern
from tracemill.campaign.source import CampaignSource, Settings
from tracemill.campaign.variants import keep_apart
from tracemill.engine.analyze import Analysis, Options, analyze_source
from tracemill.engine.progress import Reporter
from tracemill.engine.recipe import campaign_recipe
from tracemill.stages.campaign.published_marks import read_published_marks
from tracemill.store import Store

_UNFIT = re.compile(r"[^A-Za-z0-9._+-]+")
_MOST_TOLD = 3
LeaveOut = Callable[[str], None] | None
"""Takes what is wrong with what is left out; without it, that is an error."""
_LONGEST_NAME = 100


@dataclass(frozen=True, kw_only=True)
class CampaignPlan:
    """A described campaign with its traces found."""

    name: str
    path: Path
    description: Description
    members: tuple[Member, ...]
    measured: tuple[RunRecord, ...] = ()


def plan_campaign(
    runs: Path | None,
    *,
    told: Mapping[str, Any],
    store: Store,
    reporter: Reporter,
    allow_damaged: bool = False,
) -> CampaignPlan:
    """Find out what a campaign consists of; nothing is analyzed yet.

    `runs` is a folder of traces, a campaign file, a list of runs, or measurements; without it,
    all runs of the store. `told` are fields of Description that go before those of a file. Lines
    and reports with mistakes are left out if damage is allowed. Raises MissingInputError,
    UsageError or CampaignError.
    """
    leave_out = reporter.note if allow_damaged else None
    plan = _plan_of(runs, told, store, reporter, leave_out)
    plan = _called(plan, str(told.get("application", "")))
    members, measured = check_choices(plan.description, plan.members, plan.measured, leave_out)
    read_published_marks(str(parameters_of(plan.description, plan.path).get(MARKS, "")))
    return replace(plan, members=members, measured=measured)


def _plan_of(
    runs: Path | None,
    told: Mapping[str, Any],
    store: Store,
    reporter: Reporter,
    leave_out: LeaveOut,
) -> CampaignPlan:
    if runs is None:
        description = check_description(dict(told), "campaign")
        members = members_of_store(store, description)
        return _plan(description, store.path, members)
    if not runs.exists():
        raise MissingInputError(f"{runs}: no such file or directory; check the path of the runs")
    if runs.suffix.lower() == ".toml":
        description = _described(runs, told)
        members = _traces_of(description, runs.parent, reporter)
        measured = _measured(description, runs.parent, reporter, leave_out)
        return _plan(description, runs, members, measured)
    if runs.is_file() and lists_runs(runs):
        description = check_description(dict(told), "campaign")
        return _plan(description, runs, read_run_list(runs, Mistakes(leave_out)))
    if holds_measurements(runs):
        files = {"measurements": ({"path": str(runs.absolute())},)}
        description = check_description(dict(told) | files, "campaign")
        measured = _measured(description, runs.parent, reporter, leave_out)
        return _plan(description, runs, (), measured)
    place = {"runs": (str(runs.absolute()),)}
    description = check_description(dict(told) | place, "campaign")
    return _plan(description, runs, _traces_of(description, runs.parent, reporter))


def _described(file: Path, told: Mapping[str, Any]) -> Description:
    """What a campaign file says, or options instead; all that is wrong with it is told at once.

    Raises MissingInputError, or CampaignError.
    """
    given = read_fields(file) | dict(told)
    mistakes = Mistakes(found=mistakes_in(given, str(file)))
    runs = given.get("runs")
    for each in runs if isinstance(runs, list) else ():
        if isinstance(each, str):
            with mistakes.noted():
                _places(file.parent, each)
    mistakes.tell()
    return check_description(given, str(file))


def _called(plan: CampaignPlan, application: str) -> CampaignPlan:
    """The plan with all runs of the application that an option names, if it does.

    Raises CampaignError if they are of several: these cannot all be called the same.
    """
    if not application:
        return plan
    each: tuple[Member | RunRecord | FailedRun, ...]
    each = (*plan.members, *plan.measured, *plan.description.failed)
    others = sorted({run.application for run in each} - {"", application})
    if len(others) > 1:
        raise CampaignError(
            f"application {application!r}: {plan.path} tells of several programs: "
            f"{', '.join(others[:_MOST_TOLD])}: leave the option out"
        )
    name = {"application": application}
    failed = tuple(run.model_copy(update=name) for run in plan.description.failed)
    return replace(
        plan,
        description=plan.description.model_copy(update={"failed": failed}),
        members=tuple(replace(member, application=application) for member in plan.members),
        measured=tuple(replace(run, application=application) for run in plan.measured),
    )


def _plan(
    description: Description,
    path: Path,
    members: Sequence[Member],
    measured: Sequence[RunRecord] = (),
) -> CampaignPlan:
    _check_pattern_is_used(description, members, measured)
    return CampaignPlan(
        name=name_campaign(description.name, path),
        path=path,
        description=description,
        members=tuple(members),
        measured=tuple(measured),
    )


def _check_pattern_is_used(
    description: Description, members: Sequence[Member], measured: Sequence[RunRecord]
) -> None:
    """Raise CampaignError for a pattern that is wrong, or where no names tell parameters."""
    if not description.pattern or not (members or measured):
        return
    check_name_pattern(description.pattern)
    has_reports = any(run.measured and run.measured.call_sites for run in measured)
    if not has_reports and all(member.place for member in members):
        raise CampaignError(
            f"pattern {description.pattern!r}: columns tell here what the runs are, and not names "
            "of traces: leave the pattern out"
        )


def _measured(
    description: Description, folder: Path, reporter: Reporter, leave_out: LeaveOut
) -> list[RunRecord]:
    """The runs that files of measurements tell of."""
    records: list[RunRecord] = []
    for each in description.measurements:
        application = each.application or description.application
        read = read_measurements(
            folder / each.path,
            format=each.format,
            application=application,
            pattern=description.pattern,
            mistakes=Mistakes(leave_out),
        )
        for note in read.notes:
            reporter.note(note)
        records += records_of(read, size_name=description.size, application=application)
    return records


def _traces_of(description: Description, folder: Path, reporter: Reporter) -> tuple[Member, ...]:
    found = find_traces_of(description, folder)
    if found.left_out:
        names = [member.label for member in found.left_out]
        more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
        reporter.note(f"left out, as the name does not fit: {', '.join(names[:_MOST_TOLD])}{more}")
    return found.members


def make_campaign(
    plan: CampaignPlan,
    *,
    store: Store,
    options: Options,
    reporter: Reporter,
    failures: Mapping[Path, str] | None = None,
) -> Analysis:
    """Analyze the traces that lack an analysis, then the campaign where it is out of date.

    A trace that cannot be analyzed becomes a failed run, as do traces in `failures`, which failed
    before for that reason. Raises CampaignError if no run is left, and PipelineError as `analyze`
    does.
    """
    _tell_of_another(plan, store, reporter)
    analyzed = analyze_members(
        plan.members,
        store=store,
        options=options,
        reporter=reporter,
        failures=failures or {},
    )
    records = [*_records(analyzed, plan.description, reporter), *plan.measured]
    records += [_failed(each, plan.description) for each in plan.description.failed]
    _tell_of_names(records, reporter)
    records = keep_apart(records, plan.description.variants, reporter.note)
    source = CampaignSource(
        name=plan.name,
        path=plan.path,
        store=store,
        settings=_settings(plan.description),
        runs=tuple(_checked(records, analyzed, reporter)),
        generations={each.run_id: each.generation for each in analyzed if each.run_id},
        is_application_told=bool(plan.description.application),
        memory_limit=options.memory_limit,
    )
    return analyze_source(
        source,
        store=store.campaigns,
        options=replace(options, parameters=parameters_of(plan.description, plan.path)),
        reporter=reporter,
        recipe=campaign_recipe(),
    )


def _tell_of_another(plan: CampaignPlan, store: Store, reporter: Reporter) -> None:
    """Say so if the name was used for something else, which it will not mean any more."""
    before = store.campaigns.sources().get(plan.name)
    if before is not None and before.path != str(plan.path.absolute()):
        reporter.note(f"the campaign {plan.name} was one of {before.path} until now (see --name)")


def name_campaign(given: str, path: Path) -> str:
    """The name of a campaign's folder: the given one, else made from a path.

    Raises CampaignError for a given one that cannot be the name of a folder, and if nothing is
    left of the path's.
    """
    if given:
        if _UNFIT.search(given) or not given[0].isalnum() or len(given) > _LONGEST_NAME:
            raise CampaignError(
                f"name {given!r}: the campaign cannot be called that: up to {_LONGEST_NAME} "
                "letters, digits and ._+- can be in a name, which begins with one of the first two"
            )
        return given
    whole = Path(os.path.normpath(path.absolute()))
    own = whole.name if whole.is_dir() else whole.stem
    name = _UNFIT.sub("-", own).strip("-.+_")[:_LONGEST_NAME]
    if not name:
        raise CampaignError(
            f"{path}: no name for a campaign: give one of letters, digits and ._+- with --name"
        )
    return name


def find_traces_of(description: Description, folder: Path) -> FoundTraces:
    """The traces of a description whose paths are relative to a folder."""
    places = [place for each in description.runs for place in _places(folder, each)]
    if not places:
        return FoundTraces(())
    return find_members(places, description.pattern, description.application)


def _places(folder: Path, name: str) -> list[Path]:
    """The path of a name, or those it may mean if it has wildcards."""
    if (folder / name).exists() or not any(sign in name for sign in "*?["):
        return [folder / name]
    path = Path(name)
    base = Path(path.anchor) if path.is_absolute() else folder
    found = sorted(base.glob(str(path.relative_to(path.anchor))))
    if not found:
        where = "" if path.is_absolute() else f" in {folder.absolute()}"
        raise CampaignError(f"runs: nothing{where} is called {name}: check the path")
    return found


def _records(
    analyzed: Sequence[Analyzed], description: Description, reporter: Reporter
) -> list[RunRecord]:
    """A record for every trace; those that cannot be told where they belong are only named."""
    records: list[RunRecord] = []
    seen: dict[str, str] = {}
    for each in analyzed:
        if each.run_id and each.run_id in seen:
            reporter.note(f"{each.member.label} is the same trace as {seen[each.run_id]}: left out")
            continue
        seen[each.run_id] = each.member.label
        record = _record(each, description)
        if record is None:
            reporter.note(f"left out, as nothing tells its processes: {each.reason}")
            continue
        if record.reason:
            reporter.note(f"{record.label}: {record.reason}")
        records.append(record)
    return records


def _record(each: Analyzed, description: Description) -> RunRecord | None:
    member = each.member
    numbers, others = special_parameters(
        member.parameters, description.size, member.place or member.label
    )
    processes = int(numbers.get(PROCESSES, each.size.processes if each.size else 0))
    if not processes:
        return None
    reason = each.reason
    if each.size and processes != each.size.processes:
        reason = f"called a run of {processes} processes, but the trace has {each.size.processes}"
    return RunRecord(
        application=member.application or description.application or "program",
        is_named=member.is_named and bool(member.application or description.application),
        label=member.label,
        processes=processes,
        threads=int(numbers.get(THREADS, each.size.threads if each.size else 1)),
        size=numbers.get(SIZE, 1.0),
        repetition=int(numbers.get(REPETITION, 0)),
        parameters=others,
        run_id=None if reason else each.run_id,
        state=RUN_FAILED if reason else MEASURED,
        reason=reason or None,
        whole_time_ns=each.size.whole_time_ns if each.size and not reason else None,
    )


def _failed(run: FailedRun, description: Description) -> RunRecord:
    return RunRecord(
        application=run.application or description.application or "program",
        label="",
        processes=run.processes,
        threads=run.threads,
        size=run.size,
        state=OUT_OF_MEMORY if run.out_of_memory else RUN_FAILED,
        reason=run.reason,
        parameters=run.parameters,
    )


def _tell_of_names(records: Sequence[RunRecord], reporter: Reporter) -> None:
    """Say so where names of folders made programs."""
    named = sorted({run.application for run in records if not run.is_named})
    if len(named) > 1:
        more = ["…"] if len(named) > _MOST_TOLD else []
        reporter.note(
            f"{len(named)} programs by the names of their traces: "
            f"{', '.join(named[:_MOST_TOLD] + more)} (if they are one, see --application)"
        )


def _checked(
    records: Sequence[RunRecord], analyzed: Sequence[Analyzed], reporter: Reporter
) -> list[RunRecord]:
    """All runs numbered, after a word about those that are odd."""
    if not any(run.state == MEASURED for run in records):
        reasons = [each.reason for each in analyzed if each.reason][:1]
        raise CampaignError(f"no run is left: {reasons[0] if reasons else 'none was found'}")
    pairs = repeated(records)
    for first, second in pairs[:_MOST_TOLD]:
        reporter.note(
            f"{first.label} and {second.label} are both called repetition {first.repetition} of "
            "one configuration: both count"
        )
    return number_runs(records)


def _settings(description: Description) -> Settings:
    return Settings(
        size_name=description.size,
        computation_size=description.computation_size,
        scaling=description.scaling,
        efficiency=description.efficiency or "",
        attainable_per_second=description.attainable_per_second,
        is_whole_run=description.whole_run,
        is_setup_included=description.include_setup,
    )
