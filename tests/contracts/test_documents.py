"""Documents: generated ones are current, links lead somewhere, nothing is left out."""

import re
import shutil
from pathlib import Path

import pytest

from tests.doc_pages import PAGES, ROOT
from tracemill.cli import app
from tracemill.reference import documents as docs
from tracemill.reference.commands import command_names
from tracemill.reports.explanation import all_metrics
from tracemill.schemas import TABLES, Table

README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = ROOT / "docs" / "reference"
TABLE_REFERENCE = (REFERENCE / "tables.md").read_text(encoding="utf-8")
LINKING = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "data" / "README.md"]


def test_generated_documents_are_current() -> None:
    assert docs.stale_documents() == []


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copies of the generated documents in a folder of their own."""
    shutil.copytree(REFERENCE, tmp_path / "docs" / "reference")
    return tmp_path


@pytest.mark.parametrize("name", ["commands.md", "tables.md"])
def test_a_stale_document_is_named_and_written_again(
    name: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copy / "docs" / "reference" / name
    current = path.read_text()
    path.write_text(current.replace("Usage:", "Old help:").replace("`tag`", "`old`"))
    assert path.read_text() != current
    assert docs.main(["--check"], root=copy) == 1
    assert f"docs/reference/{name} is stale" in capsys.readouterr().err
    assert docs.main([], root=copy) == 0
    assert path.read_text() == current
    assert docs.main(["--check"], root=copy) == 0


def test_a_missing_reference_is_stale_too(copy: Path) -> None:
    missing = copy / "docs" / "reference" / "tables.md"
    missing.unlink()
    assert docs.stale_documents(copy) == [missing]


def test_every_command_is_in_the_reference() -> None:
    text = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    for words in command_names(app):
        assert f"\nUsage: tracemill {' '.join(words)} " in text


def test_every_metric_is_in_the_reference() -> None:
    text = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\w+)$", text, re.M) == [each.name for each in all_metrics()]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_and_column_is_in_the_reference(table: Table) -> None:
    _, _, section = TABLE_REFERENCE.partition(f"\n### {table.name}\n")
    section = section.partition("\n### ")[0]
    assert table.meaning in section
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    assert [name for name, _ in rows] == [c.name for c in table.columns]
    for name, cells in rows:
        kind, _, meaning, *_ = re.split(r"(?<!\\) \| ", f"{cells} ")
        assert kind, name
        assert meaning, name


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def anchors_of(page: Path) -> set[str]:
    """The anchors that headings of a page have on GitHub and GitLab."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = ROOT / "docs" / "README.md"
    links = re.findall(r"\]\(([^)#]+)\)", contents.read_text(encoding="utf-8"))
    listed = {(contents.parent / link).resolve() for link in links}
    assert {page for page in PAGES if page.is_relative_to(contents.parent)} <= {*listed, contents}


def test_the_readme_is_short_and_shows_a_picture() -> None:
    assert len(README.splitlines()) <= 150
    assert "](data/pictures/report.png)" in README


def test_make_targets_in_documents_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.MULTILINE))
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)\b(?= |`|$)", text, re.MULTILINE))
    assert {"demo", "analyze", "test"} <= named
    assert named <= known
