"""Answers that a store does not have: a short list of near runs, and a note on empty tables."""

from pathlib import Path

import pytest

from tracemill import cli
from tracemill.base.errors import MissingInputError
from tracemill.store.runs import Store

DATA = Path(__file__).parent.parent.parent / "data"
TRACE = "Timestamp (ns),Event Type,Name,Process\n0,Enter,main,0\n{end},Leave,main,0\n"


def test_few_runs_are_listed_those_with_like_names_first(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for at in range(6):
        path = tmp_path / f"{'halo' if at == 5 else 'run'}{at}.csv"
        path.write_text(TRACE.format(end=1000 + at))
        assert cli.main(["analyze", str(path), "--store", str(store), "--no-report"]) == 0
    with pytest.raises(MissingInputError) as error:
        Store(store).open("nix")
    assert str(error.value).count("(run") + str(error.value).count("(halo") == 4
    assert str(error.value).endswith("and 2 more")
    with pytest.raises(MissingInputError) as error:
        Store(store).open("alo5")
    assert "(halo5" in str(error.value)
    assert "(run" not in str(error.value)


def test_sql_notes_tables_that_a_profile_does_not_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "store")]
    trace = str(DATA / "m01_late_sender")
    assert cli.main(["analyze", trace, "--detail", "profile", "--no-report", *store]) == 0
    capsys.readouterr()
    assert cli.main(["sql", "SELECT count(*) FROM call_tree", *store]) == 0
    assert capsys.readouterr().err == ""
    assert cli.main(["sql", "FROM wait_states", *store]) == 0
    assert capsys.readouterr().err.endswith(
        "m01_late_sender has the detail profile, without rows in wait_states: analyze it again "
        "with --detail calls or full\n"
    )
