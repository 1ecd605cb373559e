"""Files for people, such as reports and exports: written beside their place, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.errors import PipelineError

ELSEWHERE = "name another place with --output"


@contextmanager
def replacing(path: Path, *, advice: str = ELSEWHERE) -> Iterator[Path]:
    """Give the block a path to write; `path` changes only if the block succeeds.

    Raises PipelineError, which ends with `advice`, if the file system refuses.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        beside.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(f"cannot write {path}: {reason}: {advice}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_text(path: Path, text: str, *, advice: str = ELSEWHERE) -> None:
    """Write a text file as UTF-8, whole or not at all."""
    with replacing(path, advice=advice) as beside:
        # Lone surrogates cannot be written as UTF-8 and stand for bytes nobody could read.
        beside.write_text(text, encoding="utf-8", errors="replace")
