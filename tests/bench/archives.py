"""Archives to measure with: generated once for each size, kept in build/bench."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "bench"
GENERATOR = ROOT.parent / "shared" / "tools" / "gen_otf2.py"


class NoGeneratorError(Exception):
    """Archives of chosen sizes cannot be made here."""


def provide_archive(events: int, *, locations: int, generator: Path) -> Path:
    """An archive of about so many events, from the cache or generated now.

    Raises NoGeneratorError if it would have to be generated and that is not possible.
    """
    folder = CACHE / f"generated_{locations}_locations_{events}_events"
    if not folder.exists():
        _check(generator)
        beside = folder.with_name(f".{folder.name}.tmp")
        size = ["--locations", str(locations), "--events", str(events)]
        command = [sys.executable, str(generator), str(beside), *size]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoGeneratorError(f"{generator} failed: {(done.stderr or done.stdout).strip()}")
        beside.rename(folder)
    return folder


def _check(generator: Path) -> None:
    if not generator.exists():
        raise NoGeneratorError(
            f"no generator of archives: {generator}: name one with --generator, or measure with "
            "an archive of your own: --trace"
        )
    CACHE.mkdir(parents=True, exist_ok=True)


def event_file_bytes(trace: Path) -> int:
    """Size of an archive's event files."""
    folder = trace if trace.is_dir() else trace.parent
    return sum(file.stat().st_size for file in folder.rglob("*.evt"))
