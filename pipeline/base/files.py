"""Files for people, such as reports and exports: written beside their place, then renamed."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tracemill.base.errors import PipelineError
from tracemill.base.sharing import make_folder, share
from tracemill.base.temporary import temporary_name

ELSEWHERE = "name another place with --output"


@contextmanager
def replacing(
    path: Path, *, advice: str = ELSEWHERE, is_folder_made: bool = False
) -> Iterator[Path]:
    """Give the block a path to write; `path` changes only if the block succeeds.

    With `is_folder_made`, as in a store, folders are made and shared. Raises PipelineError, with
    `advice` at its end, if the folder is missing or the file system refuses.
    """
    beside = path.with_name(temporary_name("file"))
    try:
        if is_folder_made:
            make_folder(path.parent)
        else:
            check_folder(path)
        yield beside
        if is_folder_made:
            share(beside)
        beside.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(f"cannot write {path}: {reason}: {advice}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def check_folder(path: Path) -> None:
    """Raise PipelineError if the folder that `path` shall lie in does not exist."""
    if not path.parent.exists():
        raise PipelineError(
            f"cannot write {path}: no folder {path.parent}: make it first, or {ELSEWHERE}"
        )


def check_free(path: Path, *, is_overwriting: bool) -> None:
    """Raise PipelineError if nothing can be put at `path`, or something is there to be kept."""
    check_folder(path)
    if not is_overwriting and path.exists():
        raise PipelineError(f"{path} is there already: {ELSEWHERE}, or replace it with --overwrite")


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8, whole or not at all."""
    # Lone surrogates cannot be written as UTF-8 and stand for bytes nobody could read.
    write_bytes(path, text.encode("utf-8", errors="replace"))


def write_bytes(
    path: Path, content: bytes, *, advice: str = ELSEWHERE, is_folder_made: bool = False
) -> None:
    """Write a file, whole or not at all."""
    with replacing(path, advice=advice, is_folder_made=is_folder_made) as beside:
        beside.write_bytes(content)
