"""manifest.json of a generation, and the pointer to the current one."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from tracemill.base.errors import StoreError
from tracemill.schemas.definitions import FULL

STORE_FORMAT_VERSION = 1
MANIFEST_NAME = "manifest.json"
POINTER_NAME = "current.json"

RunKind = Literal["measured", "what-if", "forecast"]
"""Where the times of a run come from: its trace, or a replay of it."""

# How to read what older versions wrote: version → function to the next version's form, which is
# given manifests and pointers alike.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


class UnreadableRecordError(StoreError):
    """A record of the store is damaged or gone; what it described can be computed again."""


@dataclass(frozen=True)
class SourceFile:
    """A file of the source, with its status to detect changes without reading it."""

    name: str
    size: int
    mtime_ns: int

    def is_in(self, folder: str) -> bool:
        """True if it is unchanged in a folder."""
        try:
            status = os.stat(os.path.join(folder, self.name))
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.mtime_ns)


@dataclass(frozen=True, kw_only=True)
class ReplayOrigin:
    """How a run differs from the measured one that it was made from.

    `description` is for people, such as "f=0" or the name of a cluster; `hashed` is all that the
    times follow from.
    """

    kind: RunKind
    description: str
    hashed: str


@dataclass(frozen=True, kw_only=True)
class SourceRecord:
    """The origin of the data; `digest` identifies the content, not the path.

    `kind` and `change` are those of runs that were not measured.
    """

    path: str
    format: str
    files: tuple[SourceFile, ...]
    digest: str
    kind: RunKind = "measured"
    change: str = ""

    @property
    def is_measured(self) -> bool:
        return self.kind == "measured"

    @property
    def label(self) -> str:
        """Name for people: that of the folder that holds the trace, or of a file in CSV.

        That of other kinds of runs says how they differ, as in "l01 what-if solve=0.5".
        """
        name = self.trace_label
        return name if self.is_measured else f"{name} {self.kind} {self.change}"

    @property
    def trace_label(self) -> str:
        """Name of the trace, also of runs that were not measured."""
        path = Path(self.path)
        if self.format == "csv" and path.suffix:
            return path.name.removesuffix(path.suffix).removesuffix(".csv")
        return path.parent.name if path.suffix else path.name

    @property
    def is_there(self) -> bool:
        """True if its files have the analyzed sizes and times."""
        folder = self.path if os.path.isdir(self.path) else os.path.dirname(self.path)
        return all(file.is_in(folder) for file in self.files)


@dataclass(frozen=True, kw_only=True)
class TableRecord:
    """The origin of a table.

    `key` identifies its content: `parts` are hashes of source, code, query text, schema and
    options, `inputs` the keys of its inputs. `reason` says why it was computed or reused.
    Transient tables are recorded with sizes of 0.
    """

    key: str
    parts: Mapping[str, str]
    inputs: Mapping[str, str]
    reason: str
    is_stored: bool = True
    is_reused: bool = False
    row_count: int = 0
    byte_count: int = 0


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Everything known about a generation that is not in its tables."""

    run_id: str
    generation: str
    created_at: str
    source: SourceRecord
    options: Mapping[str, Any]
    versions: Mapping[str, str]
    tables: Mapping[str, TableRecord]
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    is_damaged_allowed: bool = False
    store_format_version: int = STORE_FORMAT_VERSION

    @property
    def stored(self) -> dict[str, TableRecord]:
        """The tables that have files."""
        return {name: table for name, table in self.tables.items() if table.is_stored}

    @property
    def detail(self) -> str:
        """The level of detail: full, calls or profile."""
        return str(self.options.get("detail", FULL))

    @property
    def byte_count(self) -> int:
        """Bytes of the generation's Parquet files."""
        return sum(table.byte_count for table in self.tables.values())

    def to_json(self) -> bytes:
        return to_json(self)

    @classmethod
    def load(cls, path: Path) -> "Manifest":
        """Read a manifest.json of this or an older version; cached.

        Raises StoreError if it is unreadable or from a newer version.
        """
        try:
            status = path.stat()
        except OSError as error:
            raise _unreadable(path, error) from error
        return _load(path, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=128)
def _load(path: Path, _status: tuple[int, ...]) -> Manifest:
    """The manifest in a file, cached by its status."""
    read = load_document(path)
    try:
        tables = {name: TableRecord(**record) for name, record in read.pop("tables").items()}
        return Manifest(**read | {"source": source_record(read["source"]), "tables": tables})
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, error) from error


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """The current generation of a run, and its source as last seen."""

    generation: str
    source: SourceRecord
    store_format_version: int = STORE_FORMAT_VERSION

    def to_json(self) -> bytes:
        return to_json(self)

    @classmethod
    def find(cls, path: Path) -> "Pointer | None":
        """Read a current.json; None if there is none."""
        try:
            return cls.load(path)
        except UnreadableRecordError as error:
            if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                return None
            raise

    @classmethod
    def load(cls, path: Path) -> "Pointer":
        """Read a current.json; raises StoreError as `Manifest.load` does."""
        read = load_document(path)
        try:
            return cls(**read | {"source": source_record(read["source"])})
        except (KeyError, TypeError, AttributeError) as error:
            raise _unreadable(path, error) from error


def to_json(document: object) -> bytes:
    """A document of dataclasses as JSON, a line for each field and each of its values.

    Lone surrogates in names of files are escaped. Only without an indent does Python write JSON in
    compiled code, in a tenth of the time.
    """
    encode = json.JSONEncoder(ensure_ascii=False, default=vars).encode

    def lines(value: object, deeper: int) -> str:
        fields = vars(value) if is_dataclass(value) else value
        if not deeper or not isinstance(fields, Mapping) or not fields:
            return encode(value)
        pairs = (f"{encode(name)}: {lines(each, deeper - 1)}" for name, each in fields.items())
        return "{\n" + ",\n".join(pairs) + "\n}"

    return f"{lines(document, 2)}\n".encode("utf-8", "backslashreplace")


def load_document(path: Path) -> dict[str, Any]:
    """Read a JSON document of the store and bring it to the current version's form."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        version = int(document["store_format_version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from error
    if version > STORE_FORMAT_VERSION:
        raise StoreError(
            f"the store has format {version}, this Tracemill reads up to {STORE_FORMAT_VERSION}: "
            f"{path}: use a newer Tracemill, or name another folder with --store"
        )
    return _upgraded(document, version, path)


def source_record(read: dict[str, Any]) -> SourceRecord:
    """A source record from its form in JSON."""
    files = tuple(SourceFile(**file) for file in read["files"])
    return SourceRecord(**read | {"files": files})


def _upgraded(document: dict[str, Any], version: int, path: Path) -> dict[str, Any]:
    while version < STORE_FORMAT_VERSION:
        if version not in UPGRADES:
            raise StoreError(
                f"the store has format {version}, which this Tracemill (format "
                f"{STORE_FORMAT_VERSION}) cannot read any more: {path}: analyze the trace again "
                "into another folder, named with --store"
            )
        document = UPGRADES[version](document)
        version += 1
        document["store_format_version"] = version
    return document


def _unreadable(path: Path, error: Exception) -> UnreadableRecordError:
    reason = getattr(error, "strerror", None) or f"{type(error).__name__} {error}"
    return UnreadableRecordError(
        f"the store's record cannot be read: {path}: {reason}: analyze the trace again"
    )
