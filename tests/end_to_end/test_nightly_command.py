"""The command `tracemill nightly`: its output and its exit codes."""

import json
import shutil
from pathlib import Path

import pytest

from tests.helpers.nights import cut, write_archive
from tracemill import cli
from tracemill.base.errors import (
    FailedArchivesError,
    MissingInputError,
    RegressionError,
    StoreError,
    UsageError,
)


def run(source: Path, *options: str) -> int:
    store = str(source.parent / "store")
    quick = ["--settle", "0s", "--threads", "1", "--no-report"]
    return cli.main(["nightly", str(source), "--store", store, *quick, *options])


def test_a_site_sees_new_runs_failures_and_regressions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, store = tmp_path / "traces", tmp_path / "store"
    write_archive(source / "app" / "2026-01-01", 1_000_000)
    assert run(source, "--dry-run") == 0
    assert capsys.readouterr().out.splitlines()[0] == "archives: 1 to analyze"
    assert not store.exists()

    assert run(source) == 0
    out = capsys.readouterr().out
    assert "1 new run" in out
    assert f"{store}/reports/nightly/index.html" in out
    assert json.loads((store / "nightly" / "result.json").read_text())["exit_code"] == 0
    assert run(source) == 0
    assert "1 archive was analyzed before" in capsys.readouterr().out
    assert list((store / "nightly" / "unreported").iterdir()) == []

    bad = write_archive(source / "app" / "2026-01-02", 1_000_001, "cut")
    cut(bad)
    assert run(source) == FailedArchivesError.exit_code
    captured = capsys.readouterr()
    assert f"failed  {bad}: " in captured.out
    assert "some archives or campaigns failed" in captured.err
    assert run(source) == 0, "what is in quarantine is no news"
    capsys.readouterr()
    assert run(source, "--retry", "--allow-damaged") == 0
    sentence = "Only the readable part of 1 incomplete trace was analyzed: 2026-01-02."
    assert sentence in capsys.readouterr().out
    bad.write_text("no anchor")
    assert run(source) == FailedArchivesError.exit_code
    assert f"failed  {bad}: not an OTF2 anchor file" in capsys.readouterr().out
    shutil.rmtree(bad.parent)

    write_archive(source / "app" / "2026-01-03", 1_300_000)
    assert run(source) == RegressionError.exit_code
    captured = capsys.readouterr()
    assert "30.0% longer" in captured.out
    assert "solve" in captured.out
    assert "some runs are worse" in captured.err


@pytest.mark.parametrize(
    ("options", "exit_code", "message"),
    [
        (
            ["--since", "yesterday"],
            UsageError.exit_code,
            "a time before now, such as 7d, or a date",
        ),
        (["--max-runtime", "long"], UsageError.exit_code, "--max-runtime long: give a duration"),
        (["--settle", "-1"], UsageError.exit_code, "--settle"),
        (["--jobs", "0"], UsageError.exit_code, "must be at least 1"),
        (["--config", "nowhere.toml"], UsageError.exit_code, "cannot read nowhere.toml"),
        (["--config", "nowhere.toml", "--dry-run"], UsageError.exit_code, "cannot read nowhere"),
    ],
)
def test_a_wrong_command_line_is_refused_before_anything_is_done(
    options: list[str],
    exit_code: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_archive(tmp_path / "traces" / "a")
    assert run(tmp_path / "traces", *options) == exit_code
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "store").exists()


def test_an_unusable_source_or_store_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "nowhere") == MissingInputError.exit_code
    assert "nowhere: no such folder; name the folder of the archives" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
    (tmp_path / "traces").mkdir()
    (tmp_path / "store").write_text("")
    assert run(tmp_path / "traces") == StoreError.exit_code
    assert "a file is in the way" in capsys.readouterr().err


def test_archives_need_not_settle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_archive(tmp_path / "traces" / "a")
    command = ["nightly", str(tmp_path / "traces"), "--store", str(tmp_path / "store")]
    assert cli.main([*command, "--dry-run", "--settle", "0"]) == 0
    assert "1 to analyze" in capsys.readouterr().out


def test_a_dry_run_recognizes_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "traces"
    write_archive(source / "a")
    assert run(source) == 0
    shutil.copytree(source / "a", source / "b")
    write_archive(source / "c", 1_000_000)
    capsys.readouterr()
    assert run(source, "--dry-run") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "archives: 1 to analyze, 2 known"
    assert [line.split()[-1] for line in lines[1:]] == [str(source / "c" / "traces.otf2")]


def test_a_date_limits_the_archives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_archive(tmp_path / "traces" / "a")
    for since, counts in (("2000-01-01", "1 to analyze"), ("2100-01-01", "1 changed before")):
        assert run(tmp_path / "traces", "--dry-run", "--since", since) == 0
        assert counts in capsys.readouterr().out
