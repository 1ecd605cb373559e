"""Pruning removes the oldest runs beyond a limit, and never runs that are used or in use."""

import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.helpers.leasing import taken
from tests.helpers.store_cases import labeled, publish
from tracemill import cli
from tracemill.base.errors import StoreError
from tracemill.campaign.configurations import RunRecord
from tracemill.campaign.description import Description
from tracemill.campaign.retention import prune_store
from tracemill.campaign.source import CampaignSource
from tracemill.store import removal
from tracemill.store.leases import name_of_analysis
from tracemill.store.manifest import SourceRecord
from tracemill.store.pruning import Limits, Pruning
from tracemill.store.runs import Store
from tracemill.store.sizes import FileSizes

DAY = 86_400.0
ANY_AGE = Limits(older_than=0.0)
ONE_GENERATION = Limits(keep_generations=1)


def made(store: Store, name: str, generation: str, *, days_ago: float, **changes: object) -> Path:
    """Publish a generation so long ago."""
    moment = datetime.now(UTC) - timedelta(days=days_ago)
    changes = {"source": labeled(name)} | changes
    path = publish(store, name, generation, created_at=moment.isoformat(), **changes)
    for each in (path, path.parent / "current.json"):
        os.utime(each, (moment.timestamp(), moment.timestamp()))
    return path


def campaign_of(store: Store, name: str, runs: Sequence[tuple[str, str]], **named: object) -> Path:
    """Publish a campaign made of generations of runs."""
    records = tuple(
        RunRecord(application="a", label=run_id, processes=4, run_id=run_id) for run_id, _ in runs
    )
    campaign = CampaignSource(
        name=name, path=store.path, store=store, description=Description(), runs=records,
        generations=dict(runs),
    )  # fmt: skip
    source = SourceRecord(
        path=str(store.path), format="campaign", files=campaign.identity().files, digest="d"
    )
    options = {"generation": "g1", "days_ago": 200, "source": source} | named
    return made(store.campaigns, name, **options)  # type: ignore[arg-type]


def present(store: Store) -> list[str]:
    """Runs and generations that can be read."""
    return sorted(
        f"{path.parent.name[4:]} {path.name[4:]}" for path in store.runs_path.glob("run=*/gen=*")
    )


def gone(pruning: Pruning) -> list[str]:
    """What was removed, in this order."""
    return [
        f"{each.holding.name} {each.generation.key if each.generation else 'all'}"
        for each in pruning.removed
    ]


def reason(pruning: Pruning, name: str) -> str:
    (told,) = [each.reason for each in pruning.decisions if each.holding.name == name]
    return told


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Runs a, b and c of 100, 50 and 10 days ago; of b there are three generations, one later."""
    store = Store(tmp_path / "store")
    made(store, "a", "g1", days_ago=100)
    for days_ago, generation in ((60, "g1"), (55, "g2"), (50, "g3")):
        made(store, "b", generation, days_ago=days_ago)
    made(store, "c", "g1", days_ago=10)
    return store


# --- What goes -----------------------------------------------------------------------------------


def test_runs_go_by_the_age_of_their_current_generation(store: Store) -> None:
    pruning = prune_store(store.path, Limits(older_than=55 * DAY))
    assert gone(pruning) == ["a all"]
    assert reason(pruning, "a") == "older than 55d"
    assert {reason(pruning, name) for name in "bc"} == {"within the limits"}
    assert present(store) == ["b g1", "b g2", "b g3", "c g1"]
    assert [run.run_id for run in store.runs()] == ["c", "b"]


@pytest.mark.parametrize(
    ("count", "left"),
    [
        (1, ["b g3"]),
        (2, ["b g2", "b g3"]),
        (3, ["b g1", "b g2", "b g3"]),
        (9, ["b g1", "b g2", "b g3"]),
    ],
)
def test_so_many_generations_are_kept_of_each_run(
    store: Store, count: int, left: list[str]
) -> None:
    prune_store(store.path, Limits(keep_generations=count))
    assert present(store) == ["a g1", *left, "c g1"]


def test_the_current_generation_counts_though_others_are_later(store: Store) -> None:
    first = store.generation("b", "g1")
    assert first is not None
    store.point_to(first)
    os.utime(first.path.parent / "current.json", (0, 0))
    prune_store(store.path, Limits(keep_generations=2))
    assert present(store) == ["a g1", "b g1", "b g3", "c g1"]
    assert store.open("b").generation == "g1"


def test_a_store_shrinks_by_earlier_generations_and_then_by_runs_the_oldest_first(
    store: Store,
) -> None:
    total = FileSizes().add(store.path)
    sizes = {path.name: FileSizes().add(path) for path in store.runs_path.glob("run=b/gen=*")}
    run = FileSizes().add(store.runs_path / "run=a")

    def goes(freed: int) -> list[str]:
        pruning = prune_store(store.path, Limits(max_bytes=total - freed), is_dry_run=True)
        assert pruning.byte_count == total - pruning.freed <= total - freed
        return gone(pruning)

    assert goes(0) == []
    assert goes(1) == ["b g1"]
    assert goes(sizes["gen=g1"]) == ["b g1"]
    assert goes(sizes["gen=g1"] + 1) == ["b g1", "b g2"]
    assert goes(sizes["gen=g1"] + sizes["gen=g2"] + run + 1) == ["b g1", "b g2", "a all", "b all"]
    assert present(store) == ["a g1", "b g1", "b g2", "b g3", "c g1"]
    pruning = prune_store(store.path, Limits(max_bytes=0))
    assert pruning.byte_count == FileSizes().add(store.path) == 0
    assert present(store) == []


def test_the_freed_size_is_the_change_on_disk(store: Store) -> None:
    """Also of tables that generations share, which are freed with the last of them."""
    for other in ("g2", "g3"):
        file = store.runs_path / "run=b" / f"gen={other}" / "places.parquet"
        file.unlink()
        os.link(store.runs_path / "run=b" / "gen=g1" / "places.parquet", file)
    for limit in ({"keep_generations": 2}, {"keep_generations": 1}, {"older_than": 0}):
        limits = Limits(grace=0.0, **limit)  # type: ignore[arg-type]
        before = FileSizes().add(store.path)
        pruning = prune_store(store.path, limits)
        assert pruning.freed == before - FileSizes().add(store.path) > 0


def test_the_report_of_a_run_goes_with_it(store: Store) -> None:
    for name in ("run=a", "run=c", "campaign=a"):
        (store.path / "reports" / name).mkdir(parents=True)
        (store.path / "reports" / name / "index.html").write_text("page")
    pruning = prune_store(store.path, Limits(older_than=55 * DAY))
    size = store.path / "runs" / "run=c"
    assert pruning.freed == FileSizes().add(size) + len("page")
    assert sorted(path.name for path in (store.path / "reports").iterdir()) == [
        "campaign=a",
        "run=c",
    ]


def test_earlier_generations_of_campaigns_go_but_no_campaign(store: Store) -> None:
    for generation, days in (("g1", 300), ("g2", 200)):
        campaign_of(store, "all", [("a", generation)], generation=generation, days_ago=days)
    pruning = prune_store(store.path, Limits(older_than=0.0, keep_generations=1, max_bytes=0))
    assert "all g1" in gone(pruning)
    assert [path.name for path in (store.path / "campaigns").glob("*/gen=*")] == ["gen=g2"]
    assert present(store) == []  # the generation g2 of a, which the campaign uses, is not there


def test_unreadable_runs_are_removed_by_age(store: Store) -> None:
    folder = store.runs_path / "run=a"
    (folder / "current.json").write_text("{")
    (folder / "gen=g1" / "manifest.json").write_text("{")
    for path in (folder / "current.json", folder / "gen=g1"):
        os.utime(path, (1, 1))
    prune_store(store.path, Limits(older_than=90 * DAY))
    assert not folder.exists()


def test_a_dry_run_removes_nothing(store: Store) -> None:
    before = sorted(store.path.rglob("*"))
    limits = Limits(older_than=0.0, keep_generations=1, max_bytes=0)
    planned = prune_store(store.path, limits, is_dry_run=True)
    assert sorted(store.path.rglob("*")) == before
    assert gone(prune_store(store.path, limits)) == gone(planned)


# --- What stays ----------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [ANY_AGE, Limits(max_bytes=0)])
def test_runs_of_a_campaign_stay(store: Store, limits: Limits) -> None:
    campaign_of(store, "all", [("a", "g1"), ("b", "g2")])
    pruning = prune_store(store.path, limits)
    assert "the campaign all uses it" in reason(pruning, "a")
    kept = ["a g1", "b g1", "b g2", "b g3"]
    assert present(store) == (kept if limits is ANY_AGE else ["a g1", "b g2", "b g3"])


def test_generations_of_a_campaign_stay(store: Store) -> None:
    campaign_of(store, "all", [("b", "g1")])
    prune_store(store.path, ONE_GENERATION)
    assert present(store) == ["a g1", "b g1", "b g3", "c g1"]


def test_generations_used_only_by_a_removed_generation_of_a_campaign_are_removed(
    store: Store,
) -> None:
    campaign_of(store, "all", [("b", "g1")], generation="g1", days_ago=300)
    campaign_of(store, "all", [("b", "g2")], generation="g2", days_ago=200)
    prune_store(store.path, ONE_GENERATION)
    assert present(store) == ["a g1", "b g2", "b g3", "c g1"]


def test_while_a_campaign_cannot_be_read_or_is_being_made_all_runs_stay(store: Store) -> None:
    path = campaign_of(store, "all", [("c", "g1")])
    kept = (path / "manifest.json").read_bytes()
    (path / "manifest.json").write_text("{")
    assert "the campaign all cannot be read and may use it" in reason(
        prune_store(store.path, ANY_AGE), "a"
    )
    (path / "manifest.json").write_bytes(kept)
    with store.campaigns.begin("other"):
        told = reason(prune_store(store.path, ANY_AGE), "a")
    assert "campaign other is being made and may use it" in told
    assert len(present(store)) == 5


def test_recently_changed_runs_stay(store: Store) -> None:
    """By the clock of the file system: the moment at which readers could still find it."""
    current = store.open("b")
    store.point_to(current)
    pruning = prune_store(store.path, Limits(older_than=0.0, keep_generations=1))
    assert gone(pruning) == ["a all", "c all"]
    assert len(present(store)) == 3
    os.utime(current.path.parent / "current.json", (1, 1))
    assert gone(prune_store(store.path, ONE_GENERATION)) == ["b g2", "b g1"]


def test_leased_runs_stay(store: Store) -> None:
    name = name_of_analysis("/data/c/traces.otf2")
    with taken(store.leases_path, name):
        assert reason(prune_store(store.path, ANY_AGE), "c") == "being written (older than 0s)"
    assert present(store) == ["c g1"]


def test_runs_being_written_stay(store: Store) -> None:
    with store.begin("c"):
        assert reason(prune_store(store.path, ANY_AGE), "c") == "being written (older than 0s)"
    assert present(store) == ["c g1"]


def test_runs_of_a_newer_tracemill_stay(store: Store) -> None:
    pointer = store.runs_path / "run=a" / "current.json"
    pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"store_format_version": 7}))
    os.utime(pointer, (1, 1))
    assert "use a newer Tracemill" in reason(prune_store(store.path, ANY_AGE), "a")
    assert present(store) == ["a g1"]


# --- Others at work meanwhile --------------------------------------------------------------------


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something between the decision and the first rename."""
    original = removal._hide

    def hide(path: Path) -> list[Path]:
        monkeypatch.undo()
        act()
        return original(path)

    monkeypatch.setattr(removal, "_hide", hide)


def test_a_run_that_is_analyzed_again_meanwhile_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: publish(store, "a", "g9"))
    pruning = prune_store(store.path, Limits(older_than=90 * DAY))
    assert gone(pruning) == []
    assert reason(pruning, "a") == "changed meanwhile (older than 90d)"
    assert store.open("a").generation == "g9"


def test_a_run_in_which_a_writer_begins_meanwhile_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, store.begin("a").__enter__)
    assert gone(prune_store(store.path, Limits(older_than=90 * DAY))) == []
    assert store.open("a").generation == "g1"


def test_a_generation_that_is_made_current_meanwhile_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = store.generation("b", "g2")
    assert earlier is not None
    meanwhile(monkeypatch, lambda: store.point_to(earlier))
    assert gone(prune_store(store.path, ONE_GENERATION)) == ["b g1"]
    assert store.open("b").generation == "g2"


def test_a_run_that_a_campaign_is_made_from_meanwhile_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, report = store.open("a").path, store.path / "reports" / "run=a"
    report.mkdir(parents=True)
    meanwhile(monkeypatch, lambda: campaign_of(store, "all", [("a", "g1"), ("b", "g2")]))
    pruning = prune_store(store.path, Limits(older_than=90 * DAY, keep_generations=1))
    assert gone(pruning) == ["b g1"]
    assert reason(pruning, "a") == "changed meanwhile (older than 90d)"
    assert store.open("a").path == before
    assert before.exists()
    assert report.exists()
    assert present(store) == ["a g1", "b g2", "b g3", "c g1"]
    assert list(store.runs_path.rglob(".writing~*")) == []


def test_two_prunes_at_once_each_list_their_own_removals(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Pruning] = []
    meanwhile(monkeypatch, lambda: others.append(prune_store(store.path, ONE_GENERATION)))
    assert gone(prune_store(store.path, ONE_GENERATION)) == []
    assert gone(others[0]) == ["b g2", "b g1"]


def test_leftovers_of_a_killed_prune_are_hidden_and_swept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(removal, "remove", die)
    with pytest.raises(KeyboardInterrupt):
        prune_store(store.path, Limits(older_than=90 * DAY, keep_generations=1))
    assert present(store) == ["b g3", "c g1"]
    assert [run.run_id for run in store.runs()] == ["c", "b"]
    for path in store.runs_path.rglob(".writing~*"):
        path.rename(path.with_name(path.name.replace(f"~{os.getpid()}~", "~999999999~")))
    assert len(store.sweep()) == 4  # the pointer and the generation of a, two generations of b
    assert sorted(path.name for path in store.runs_path.iterdir()) == ["run=b", "run=c"]
    assert not list(store.runs_path.rglob(".writing~*"))


def test_a_read_only_store_is_reported(read_only_disk: Path) -> None:
    limits = Limits(older_than=0.0, grace=0.0)
    assert gone(prune_store(read_only_disk, limits, is_dry_run=True)) == ["r1 all"]
    with pytest.raises(StoreError, match=r"the store is read-only: .*--store"):
        prune_store(read_only_disk, limits)
    assert Store(read_only_disk).open().run_id == "r1"


def test_a_full_disk_can_be_pruned(small_disk: Path) -> None:
    store = Store(small_disk)
    made(store, "a", "g1", days_ago=100)
    with suppress(OSError), (small_disk / "ballast").open("wb", buffering=0) as ballast:
        while ballast.write(b"x" * 4096):
            pass
    with pytest.raises(StoreError, match="the store is full"):
        publish(store, "b")
    assert gone(prune_store(store.path, ANY_AGE)) == ["a all"]
    publish(store, "b")
    assert [run.run_id for run in store.runs()] == ["b"]


# --- The command ---------------------------------------------------------------------------------


def test_the_command_says_what_goes_what_stays_and_why(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign_of(store, "all", [("a", "g1")])
    options = ["prune", "--store", str(store.path)]
    options += ["--older-than", "90d", "--keep-generations", "2"]
    for more, verb in ((["--dry-run"], "would go"), ([], "removed")):
        assert cli.main([*options, *more]) == 0
        told = capsys.readouterr()
        rows = [re.split(r"  +", line.strip()) for line in told.out.splitlines()[1:]]
        assert [row[:3] for row in rows][1] == ["generation of a run", "b (b)", "g1"]
        assert rows[0][-2:] == ["stays", "the campaign all uses it (older than 90d)"]
        assert rows[1][-2:] == [verb, "superseded, and more than 2 are kept"]
        assert re.search(
            r"free\w* [\d.]+ KiB: 0 runs and 1 earlier generation; 3 runs stay", told.err
        )
    assert cli.main([*options, "--format", "json"]) == 0
    told = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {name: (row["is_removed"], row["reason"]) for name, row in told.items()} == {
        "a": (False, "the campaign all uses it (older than 90d)"),
        "b": (False, "within the limits"),
        "c": (False, "within the limits"),
    }


def test_a_size_that_cannot_be_reached_is_reported(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign_of(store, "all", [("a", "g1")])
    assert cli.main(["prune", "--store", str(store.path), "--max-size", "0.001KB"]) == 0
    assert re.search(r"the store still has [\d.]+ KiB: nothing else", capsys.readouterr().err)
    assert present(store) == ["a g1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "needs a limit: give --older-than 90d"),
        (["--older-than", "90"], "give a duration such as 90d"),
        (["--max-size", "100"], "give a size such as"),
        (["--keep-generations", "0"], "must be at least 1"),
        (["--older-than", "1d", "--grace", "x"], "give a duration such as 90d"),
    ],
)
def test_wrong_limits_remove_nothing(
    store: Store, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert cli.main(["prune", "--store", str(store.path), *options]) == 2
    assert words in capsys.readouterr().err
    assert len(present(store)) == 5
