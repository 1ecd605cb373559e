"""Make a campaign: find its runs, analyze their traces, then compute its tables."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.base.near import near_path
from tracemill.base.text import counted
from tracemill.campaign import discovery
from tracemill.campaign.analyzing import Analyzed, analyze_members
from tracemill.campaign.checking import check_choices
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
    MARKS,
    Description,
    FailedRun,
    check_description,
    mistakes_in,
    parameters_of,
    read_fields,
)
from tracemill.campaign.inputs import holds_measurements, read_measurements
from tracemill.campaign.inputs.monitoring import Monitored, read_monitoring
from tracemill.campaign.measured import records_of
from tracemill.campaign.mistakes import Mistakes
from tracemill.campaign.names import PROCESSES, REPETITION, SIZE, THREADS, compile_pattern
from tracemill.campaign.source import CampaignSource
from tracemill.campaign.variants import separate_variants
from tracemill.engine.analyze import Analysis, Options, analyze_source
from tracemill.engine.progress import Reporter
from tracemill.engine.recipe import campaign_recipe
from tracemill.readers.wrong_input import recognize
from tracemill.stages.campaign.published_marks import read_published_marks
from tracemill.store.runs import Store

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST_NAME = 100
_MOST_LISTED = 3


@dataclass(frozen=True, kw_only=True)
class CampaignPlan:
    """A campaign: its description, the runs found, and further characteristics by label."""

    name: str
    path: Path
    description: Description
    members: tuple[discovery.Member, ...]
    measured: tuple[RunRecord, ...] = ()
    monitored: Mapping[str, tuple[Monitored, ...]] = field(default_factory=dict)


def plan_campaign(
    runs: Path | None,
    *,
    fields: Mapping[str, Any],
    store: Store,
    reporter: Reporter,
    allow_damaged: bool = False,
) -> CampaignPlan:
    """Find the runs of a campaign; nothing is analyzed yet.

    `runs` is a folder of traces, a campaign file, a list of runs, or measurements; None means all
    runs of the store. `fields` of Description replace those of a file. With `allow_damaged`, wrong
    lines and reports are skipped. Raises MissingInputError, UsageError or CampaignError.
    """
    mistakes = Mistakes(reporter.note if allow_damaged else None)
    plan = _with_application(_find(runs, fields, store, reporter, mistakes), fields)
    members, measured = check_choices(plan.description, plan.members, plan.measured, mistakes)
    read_published_marks(str(parameters_of(plan.description, plan.path).get(MARKS, "")))
    plan = replace(plan, members=members, measured=measured)
    return replace(plan, monitored=_read_monitored(plan, mistakes))


def _read_monitored(plan: CampaignPlan, mistakes: Mistakes) -> Mapping[str, tuple[Monitored, ...]]:
    """Monitoring data by label of run. A run is named by label, run id, or trace."""
    if not plan.description.monitoring:
        return {}
    file = plan.path.parent / plan.description.monitoring
    names: dict[str, set[str]] = defaultdict(set)
    for member in plan.members:
        paths = (member.trace, member.trace.absolute(), member.trace.name)
        for name in (member.label, member.run_id, *map(str, paths)):
            names[name].add(member.label)
        if member.trace.is_relative_to(file.parent):
            names[str(member.trace.relative_to(file.parent))].add(member.label)
    for run in plan.measured:
        names[run.label].add(run.label)
    names.pop("", None)
    return read_monitoring(file, names, mistakes)


def _find(
    runs: Path | None,
    fields: Mapping[str, Any],
    store: Store,
    reporter: Reporter,
    mistakes: Mistakes,
) -> CampaignPlan:
    members: Sequence[discovery.Member] = ()
    measured: Sequence[RunRecord] = ()
    if runs is None:
        description = check_description(dict(fields), "campaign")
        members = discovery.members_of_store(store, description)
    elif not runs.exists():
        advice = near_path(runs) or "check the path of the runs"
        raise MissingInputError(f"{runs}: no such file or directory; {advice}")
    elif not runs.is_dir() and not runs.is_file():
        raise CampaignError(f"{runs}: neither a file nor a folder; name the folder of the runs")
    elif runs.is_file() and discovery.lists_runs(runs):
        description = check_description(dict(fields), "campaign")
        members = discovery.read_run_list(runs, mistakes)
    else:
        description = _describe(runs, fields)
        members = _find_traces(description, runs.parent, reporter)
        try:
            measured = _read_measured(description, runs.parent, reporter, mistakes)
        except CampaignError as error:
            raise recognize(runs, is_json_accepted=True) or error from error
    _check_pattern_is_used(description, members, measured)
    path = store.path if runs is None else runs
    return CampaignPlan(
        name=name_campaign(description.name, path),
        path=path,
        description=description,
        members=tuple(members),
        measured=tuple(measured),
    )


def _describe(runs: Path, fields: Mapping[str, Any]) -> Description:
    """The description in a campaign file, or of a folder of traces or a file of measurements."""
    if runs.suffix.lower() == ".toml":
        return _read_description(runs, fields)
    path = str(runs.absolute())
    where = {"measurements": ({"path": path},)} if holds_measurements(runs) else {"runs": (path,)}
    return check_description(dict(fields) | where, "campaign")


def _read_description(file: Path, fields: Mapping[str, Any]) -> Description:
    given = read_fields(file) | dict(fields)
    mistakes = Mistakes(found=mistakes_in(given, str(file)))
    runs = given.get("runs")
    for each in runs if isinstance(runs, list) else ():
        if isinstance(each, str):
            with mistakes.collecting():
                _expand(file.parent, each)
    mistakes.report()
    return check_description(given, str(file))


def _with_application(plan: CampaignPlan, fields: Mapping[str, Any]) -> CampaignPlan:
    """The plan with the application that an option gives to all runs. Raises CampaignError."""
    application = str(fields.get("application", ""))
    if not application:
        return plan
    runs: tuple[discovery.Member | RunRecord | FailedRun, ...]
    runs = (*plan.members, *plan.measured, *plan.description.failed)
    others = sorted({run.application for run in runs} - {"", application})
    if len(others) > 1:
        raise CampaignError(
            f"application {application!r}: {plan.path} names several programs: "
            f"{', '.join(others[:_MOST_LISTED])}: remove the option"
        )
    name = {"application": application}
    failed = tuple(run.model_copy(update=name) for run in plan.description.failed)
    return replace(
        plan,
        description=plan.description.model_copy(update={"failed": failed}),
        members=tuple(replace(member, application=application) for member in plan.members),
        measured=tuple(replace(run, application=application) for run in plan.measured),
    )


def _check_pattern_is_used(
    description: Description, members: Sequence[discovery.Member], measured: Sequence[RunRecord]
) -> None:
    """Check that parameters come from names, if there is a pattern for names."""
    if not description.pattern or not (members or measured):
        return
    compile_pattern(description.pattern)
    has_reports = any(run.measured and run.measured.call_sites for run in measured)
    if not has_reports and all(member.place for member in members):
        raise CampaignError(
            f"pattern {description.pattern!r}: parameters come from columns here, not from names "
            "of traces: remove the pattern"
        )


def _read_measured(
    description: Description, folder: Path, reporter: Reporter, mistakes: Mistakes
) -> list[RunRecord]:
    """The runs in files of measurements."""
    records: list[RunRecord] = []
    for each in description.measurements:
        application = each.application or description.application
        read = read_measurements(
            folder / each.path,
            format=each.format,
            application=application,
            pattern=description.pattern,
            mistakes=mistakes,
        )
        for note in read.notes:
            reporter.note(note)
        records += records_of(read, size_name=description.size, application=application)
    return records


def _find_traces(
    description: Description, folder: Path, reporter: Reporter
) -> tuple[discovery.Member, ...]:
    """The traces of a description whose paths are relative to a folder."""
    paths = [path for each in description.runs for path in _expand(folder, each)]
    if not paths:
        return ()
    found = discovery.find_members(paths, description.pattern, description.application)
    if found.left_out:
        listed = _first_of([member.label for member in found.left_out])
        reporter.note(f"left out, because the name does not fit: {listed}")
    return found.members


def make_campaign(
    plan: CampaignPlan, *, store: Store, options: Options, reporter: Reporter
) -> Analysis:
    """Analyze new traces, then the campaign if it is out of date.

    A trace that cannot be analyzed becomes a failed run. Raises CampaignError if no run is left,
    and PipelineError as `analyze` does.
    """
    _report_reused_name(plan, store, reporter)
    analyzed = analyze_members(plan.members, store=store, options=options, reporter=reporter)
    if len(analyzed) == 1 and not plan.measured and not analyzed[0].run_id:
        raise CampaignError(f"no run is left: {analyzed[0].reason}")
    records = [*_records(analyzed, plan.description, reporter), *plan.measured]
    records += [_failed(each, plan.description) for each in plan.description.failed]
    _report_program_names(records, reporter)
    records = [
        replace(record, monitored=plan.monitored.get(record.label, ())) for record in records
    ]
    records = separate_variants(records, plan.description.variants, reporter.note)
    source = CampaignSource(
        name=plan.name,
        path=plan.path,
        store=store,
        description=plan.description,
        runs=tuple(_checked(records, analyzed, reporter)),
        generations={each.run_id: each.generation for each in analyzed if each.run_id},
        is_application_given=bool(plan.description.application),
        memory_limit=options.memory_limit,
    )
    return analyze_source(
        source,
        store=store.campaigns,
        options=replace(options, parameters=parameters_of(plan.description, plan.path)),
        reporter=reporter,
        recipe=campaign_recipe(),
    )


def _report_reused_name(plan: CampaignPlan, store: Store, reporter: Reporter) -> None:
    """Note that the name belonged to a campaign of another path."""
    before = store.campaigns.sources().get(plan.name)
    if before is not None and before.path != str(plan.path.absolute()):
        reporter.note(f"campaign {plan.name} replaces the one of {before.path} (see --name)")


def name_campaign(given: str, path: Path) -> str:
    """The name of a campaign: the given one, else one made from a path. Raises CampaignError."""
    if given:
        if _NOT_IN_NAMES.search(given) or not given[0].isalnum() or len(given) > _LONGEST_NAME:
            raise CampaignError(
                f"name {given!r}: not usable for a campaign: use up to {_LONGEST_NAME} letters, "
                "digits and ._+-, and begin with a letter or digit"
            )
        return given
    normal = Path(os.path.normpath(path.absolute()))
    own = normal.name if normal.is_dir() else normal.stem
    name = _NOT_IN_NAMES.sub("-", own).strip("-.+_")[:_LONGEST_NAME]
    if not name:
        raise CampaignError(
            f"{path}: no letters or digits for the name of the campaign: choose one with --name"
        )
    return name


def _expand(folder: Path, name: str) -> list[Path]:
    """The path of a name, or the paths that match its wildcards."""
    if (folder / name).exists() or not any(sign in name for sign in "*?["):
        return [folder / name]
    path = Path(name)
    base = Path(path.anchor) if path.is_absolute() else folder
    found = sorted(base.glob(str(path.relative_to(path.anchor))))
    if not found:
        where = "" if path.is_absolute() else f" in {folder.absolute()}"
        raise CampaignError(f"runs: nothing{where} matches {name}: check the path")
    return found


def _records(
    analyzed: Sequence[Analyzed], description: Description, reporter: Reporter
) -> list[RunRecord]:
    """A record for every trace; traces with an unknown number of processes are left out."""
    records: list[RunRecord] = []
    seen: dict[str, str] = {}
    for each in analyzed:
        if each.run_id and each.run_id in seen:
            reporter.note(f"{each.member.label} is the same trace as {seen[each.run_id]}: left out")
            continue
        seen[each.run_id] = each.member.label
        record = _record(each, description)
        if record is None:
            reporter.note(f"left out, because the number of processes is unknown: {each.reason}")
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
        said = counted(processes, "process", "processes")
        reason = f"its name says {said}, but the trace has {each.size.processes}"
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


def _report_program_names(records: Sequence[RunRecord], reporter: Reporter) -> None:
    named = sorted({run.application for run in records if not run.is_named})
    if len(named) > 1:
        reporter.note(
            f"{len(named)} programs, named after their traces: {_first_of(named)} (if they are one "
            "program, see --application)"
        )


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"{', '.join(names[:_MOST_LISTED])}{more}"


def _checked(
    records: Sequence[RunRecord], analyzed: Sequence[Analyzed], reporter: Reporter
) -> list[RunRecord]:
    """All runs with repetitions numbered. Raises CampaignError if none was measured."""
    if not any(run.state == MEASURED for run in records):
        reasons = [each.reason for each in analyzed if each.reason][:1]
        raise CampaignError(f"no run is left: {reasons[0] if reasons else 'none was found'}")
    for first, second in repeated(records)[:_MOST_LISTED]:
        reporter.note(
            f"{first.label} and {second.label} both have the number {first.repetition} in their "
            "configuration: both are used as repetitions"
        )
    return number_runs(records)
