"""Pages of documentation: their code blocks, and how each block is run.

A fenced block is run by its language, in the order of the page, in one folder per page:

    sh       a script for bash, which must succeed
    console  commands after `$ `, further lines of them after `> `, and their output; a command
             that fails is followed by `$ echo $?`
    python   a script, after the Python blocks before it on the page
    sql      statements for `tracemill sql`, on the latest run

An HTML comment in the line before a block changes that:

    <!-- not run: REASON -->     the block is only shown
    <!-- file: NAME -->          the block is the content of a file
    <!-- output -->              the block is the output of the block before it
    <!-- sql: OPTIONS -->        options of `tracemill sql`

`<!-- setup: COMMAND -->` on its own is run, but not shown. `…` in output stands for anything,
also for nothing. Targets of make are only checked to exist (`make --dry-run`).
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ILLUSTRATION = "text"
_FENCE = re.compile(r"^( *)```(\w*)$")
_COMMENT = re.compile(r"^ *<!-- (.+?) -->$")
_COMMAND = re.compile(r"^(\$ |tracemill |make |pip |python )", re.MULTILINE)
_BASH = f"""\
set -euo pipefail
make() {{ command make --dry-run -C '{ROOT}' "$@" >/dev/null; }}
"""


@dataclass(frozen=True)
class Block:
    """A fenced block, or the command of a setup comment."""

    line: int
    language: str
    text: str
    note: str = ""

    @property
    def is_command_in_text(self) -> bool:
        """Whether a command is shown without being run."""
        return self.language == ILLUSTRATION and not self.note and bool(_COMMAND.search(self.text))


def blocks_of(page: Path) -> Iterator[Block]:
    note = ""
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        if opening := _FENCE.match(line):
            indent, language = opening.groups()
            inside = [each.removeprefix(indent) for each in _until_fence(lines, indent)]
            yield Block(number, language, "\n".join(inside) + "\n", note)
            note = ""
            continue
        comment = _COMMENT.match(line)
        note = comment[1] if comment else ""
        if note.startswith("setup: "):
            yield Block(number, "sh", note.removeprefix("setup: "))


def _until_fence(lines: Iterator[tuple[int, str]], indent: str) -> Iterator[str]:
    for _, line in lines:
        if line == f"{indent}```":
            return
        yield line


@dataclass
class Runner:
    """Runs the blocks of one page in a folder."""

    folder: Path
    python: list[str] = field(default_factory=list)
    output: str = ""

    def __post_init__(self) -> None:
        for name in ("data", "queries"):
            (self.folder / name).symlink_to(ROOT / name)

    def run(self, block: Block) -> None:
        """Run a block; AssertionError if it fails or its output differs."""
        kind, _, argument = block.note.partition(":")
        if kind == "not run":
            assert len(argument.split()) >= 2, "a reason is needed"
        elif kind == "file":
            path = self.folder / argument.strip()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif kind == "output":
            assert_matches(self.output, block.text)
        elif block.language != ILLUSTRATION:
            self._run_language(block, argument if kind == "sql" else "")

    def _run_language(self, block: Block, options: str) -> None:
        if block.language == "sh":
            self._succeed(["bash", "-c", _BASH + block.text])
        elif block.language == "console":
            self._run_transcript(block.text)
        elif block.language == "python":
            self.python.append(block.text)
            self._succeed([sys.executable, "-c", "\n".join(self.python)])
        elif block.language == "sql":
            self._succeed(["bash", "-c", f"tracemill sql {options}"], given=block.text)
        else:
            raise AssertionError(f"a block of {block.language or 'no language'} cannot be run")

    def _run_transcript(self, text: str) -> None:
        status = 0
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.replace("\n> ", "\v").partition("\n")
            command = command.replace("\v", "\n")
            if command == "echo $?":
                assert int(expected) == status, f"exit code {status}"
                status = 0
                continue
            assert status == 0, f"exit code {status}: {self.output}"
            status = self._start(["bash", "-c", _BASH + command]).returncode
            assert_matches(self.output, expected)
        assert status == 0, f"exit code {status}: {self.output}"

    def _succeed(self, command: list[str], *, given: str = "") -> None:
        done = self._start(command, given=given)
        assert done.returncode == 0, self.output

    def _start(self, command: list[str], *, given: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment(), input=given, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
        )  # fmt: skip
        self.output = done.stdout
        return done

    def _environment(self) -> dict[str, str]:
        scripts = str(Path(sys.executable).parent)
        return {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}


def assert_matches(output: str, expected: str) -> None:
    """Compare output with text that may leave out parts; spaces and line ends are alike."""
    pieces = [re.escape(" ".join(piece.split())) for piece in expected.split("…")]
    pattern = r"\s?.*\s?".join(pieces)
    assert re.fullmatch(pattern, " ".join(output.split()), re.DOTALL), (
        f"output:\n{output}\nexpected:\n{expected}"
    )
