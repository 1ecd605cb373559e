"""Places of the benchmark: generated traces in build/, and its figures."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "bench"
ARCHIVE = "archive"
"""Name of the archive in the folder of what was generated."""
FIGURES = Path(__file__).with_name("figures.json")
CLUSTERS = ROOT / "data" / "clusters"
DOCUMENT = ROOT / "docs" / "reference" / "performance.md"


def event_file_bytes(trace: Path) -> int:
    """Size of an archive's event files."""
    folder = trace if trace.is_dir() else trace.parent
    return sum(file.stat().st_size for file in folder.rglob("*.evt"))
