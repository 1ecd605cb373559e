"""Documents: generated parts are current, links lead somewhere, nothing is left unmentioned."""

import re
import shutil
from pathlib import Path

import pytest

from tracemill.base.errors import PipelineError
from tracemill.cli import app
from tracemill.reference import documents as docs
from tracemill.schemas import TABLES, Table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "schemas" / "TABLES.md").read_text(encoding="utf-8")
COMMANDS = [" ".join(words) for words in docs.command_names(app)]


def test_generated_documents_are_current() -> None:
    assert docs.stale_documents() == []


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copies of the generated documents in a folder of their own."""
    (tmp_path / "schemas").mkdir()
    shutil.copy(ROOT / "README.md", tmp_path)
    for name in ("TABLES.md", "CSV.md", "COOKBOOK.md", "RESULT.md"):
        shutil.copy(ROOT / "schemas" / name, tmp_path / "schemas")
    return tmp_path


@pytest.mark.parametrize("name", ["README.md", "schemas/TABLES.md"])
def test_a_stale_document_is_named_and_written_anew(
    name: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copy / name
    current = path.read_text()
    path.write_text(
        current.replace("Compute everything again", "Old help").replace("`tag`", "`old`")
    )
    assert path.read_text() != current
    assert docs.main(["--check"], root=copy) == 1
    assert f"{name} is stale" in capsys.readouterr().err
    assert docs.main([], root=copy) == 0
    assert path.read_text() == current
    assert docs.main(["--check"], root=copy) == 0


def test_a_missing_reference_is_stale_too(copy: Path) -> None:
    (copy / "schemas" / "TABLES.md").unlink()
    assert docs.stale_documents(copy) == [copy / "schemas" / "TABLES.md"]


def test_a_readme_without_markers_is_refused() -> None:
    with pytest.raises(PipelineError, match="put them back"):
        docs.insert_commands(README.replace(docs.END, ""), "")


def test_what_stands_around_the_commands_is_kept() -> None:
    text = f"before\n{docs.BEGIN}\nold\n{docs.END}\nafter\n"
    assert docs.insert_commands(text, "new") == (
        f"before\n{docs.BEGIN}\n\nnew\n\n{docs.END}\nafter\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"Usage: tracemill {command}" in README


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_and_column_is_in_the_reference(table: Table) -> None:
    _, _, section = REFERENCE.partition(f"\n### {table.name}\n")
    section = section.partition("\n### ")[0]
    assert table.meaning in section
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    assert [name for name, _ in rows] == [c.name for c in table.columns]
    for name, cells in rows:
        kind, _, meaning, *_ = re.split(r"(?<!\\) \| ", f"{cells} ")
        assert kind, name
        assert meaning, name


def test_links_lead_to_files_of_the_repository() -> None:
    for name in ("README.md", "schemas/TABLES.md", "schemas/COOKBOOK.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            assert (ROOT / name).parent.joinpath(target).exists(), target


def test_anchors_of_the_reference_exist() -> None:
    targets = set(re.findall(r"\]\(#([^)]+)\)", REFERENCE))
    assert targets == set(re.findall(r"^### (\w+)$", REFERENCE, re.MULTILINE))


def test_make_targets_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b(?= |`|$)", README, re.MULTILINE))
    known = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.MULTILINE))
    assert {"demo", "analyze", "test"} <= named
    assert named <= known
