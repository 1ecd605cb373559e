"""Own rules for classes of overhead: through the command, into a generation of their own."""

import hashlib
from pathlib import Path

import pytest

from tracemill.cli import main

TRACE = Path(__file__).parents[2] / "data" / "e06_critical_path"
RULES = """\
paradigm,role,name,class,subclass
*,*,mpi_*,loss of parallelism,replicated code
*,*,*,computation,user code
"""
CLASSES = """
SELECT DISTINCT overhead_subclass FROM overheads JOIN overhead_classes USING (overhead_id)
WHERE overhead_class <> 'unidentified' ORDER BY ALL
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.csv"
    path.write_text(RULES)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_what_depends_on_the_rules_is_computed_again(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analyze = ("analyze", TRACE, "--store", tmp_path / "store", "--no-report")
    assert run(*analyze) == 0
    capsys.readouterr()
    assert run(*analyze, "--overhead-classes", rules, "--explain") == 0
    told = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert told["region_classes"] == ["compute", "options", "changed"]
    assert told["overheads"][:3] == ["compute", "upstream", "changed:"]
    # Findings about communication and uneven work go by the classes; waiting does not.
    assert told["visits"][0] == told["wait_states"][0] == "keep"

    assert run(*analyze, "--overhead-classes", rules) == 0
    capsys.readouterr()
    assert run("sql", CLASSES, "--store", tmp_path / "store", "--format", "csv") == 0
    assert capsys.readouterr().out.split("\n")[1:-1] == ["replicated code", "user code"]

    # The same rules in another file are the same rules; without them there was a generation.
    again = rules.rename(tmp_path / "renamed.csv")
    assert run(*analyze, "--overhead-classes", again) == 0
    assert "nothing to do" in capsys.readouterr().err
    assert run(*analyze) == 0
    assert "nothing to do" in capsys.readouterr().err


# Line 4 leaves nothing for line 5; the last line is one of the shipped rules, which fit any trace.
IDLE_RULES = """\
paradigm,role,name,class,subclass
*,*,mpi_recv,loss of parallelism,replicated code
*,*,pack_hallo,data movement,point-to-point
*,*,mpi_*,computation,user code
*,*,MPI_Recv,data movement,point-to-point

*,*,*nosuch,computation,user code
mpi,*,mpi_put|mpi_get|mpi_rput|mpi_rget,data movement,put/get
"""


def test_rules_that_change_nothing_are_named_by_their_lines(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analyze = ("analyze", TRACE, "--store", tmp_path / "store", "--overhead-classes", rules)
    assert run(*analyze, "--no-report") == 0
    assert "rules.csv" not in capsys.readouterr().err  # both rules class regions
    rules.write_text(IDLE_RULES)
    for _ in range(2):  # also if nothing is computed
        assert run(*analyze, "--no-report") == 0
        told = [line for line in capsys.readouterr().err.splitlines() if "rules.csv" in line]
        assert told == [
            f"{rules}: lines 3 and 7 fit no region of this trace; line 5 comes too late, as "
            "earlier rules fit the same regions"
        ]


def test_a_report_names_the_file_of_rules_instead_of_repeating_it(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analyze = ("analyze", TRACE, "--store", tmp_path / "store", "--overhead-classes", rules)
    assert run(*analyze, "--threads", "1") == 0
    capsys.readouterr()
    assert run("report", "--store", tmp_path / "store") == 0
    told = " ".join(capsys.readouterr().out.split())
    digest = hashlib.sha256(rules.read_bytes()).hexdigest()[:16]
    rules_named = f"overhead classes by 2 rules of {rules} (SHA-256 {digest}…)"
    assert f"Options: threads 1, detail full, {rules_named}." in told
    assert "paradigm,role" not in told


def test_wrong_rules_are_reported_before_anything_is_read(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.write_text(RULES.replace("computation", "calculation"))
    store = tmp_path / "store"
    assert run("analyze", TRACE, "--store", store, "--overhead-classes", rules) == 2
    message = capsys.readouterr().err
    assert message.startswith(
        f"tracemill: {rules}:3: no class 'calculation': there are computation,"
    )
    assert message.count("\n") == 1
    assert not store.exists()
