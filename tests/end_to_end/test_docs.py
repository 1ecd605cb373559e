"""Examples in README.md and docs/ do what they show. tests/doc_pages.py explains the notation."""

import re
from pathlib import Path

import pytest

from tests.doc_pages import PAGES, ROOT, Block, Runner, assert_matches, blocks_of

COOKBOOK = ROOT / "docs" / "reference" / "cookbook.md"


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_run_and_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    for block in blocks_of(page):
        # tests/golden/test_cookbook.py runs all queries of the cookbook.
        if page == COOKBOOK and block.language == "sql":
            continue
        try:
            runner.run(block)
        except AssertionError as error:
            raise AssertionError(f"{name_of(page)}, line {block.line}: {error}") from None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_command_is_shown_without_being_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [block.line for block in blocks_of(page) if block.is_command_in_text] == []
    assert re.findall(r"\n\n    (?:tracemill|make|\$) .*", text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true", None),
        ("false", "exit code 1"),
        ("echo one\ntwo", "expected"),
        ("false\n$ echo $?\n1", None),
        ("false\n$ echo $?\n2", "exit code 1"),
        ("echo one two three\none … three", None),
    ],
)
def test_a_transcript_is_compared(text: str, message: str | None, tmp_path: Path) -> None:
    block = Block(1, "console", f"$ {text}\n")
    if message is None:
        Runner(tmp_path).run(block)
    else:
        with pytest.raises(AssertionError, match=message):
            Runner(tmp_path).run(block)


def test_what_is_left_out_may_be_anything() -> None:
    assert_matches("a  b\nc d", "a … d")
    assert_matches("a b", "…\na b\n…")
    with pytest.raises(AssertionError):
        assert_matches("a b c", "a b")


def test_a_block_that_is_not_run_needs_a_reason(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    runner.run(Block(1, "sh", "false", "not run: needs a network"))
    with pytest.raises(AssertionError, match="reason"):
        runner.run(Block(1, "sh", "false", "not run:"))
