"""Ways to damage the bytes and files of a trace: each changes a copy and says what it did.

`MUTATORS` lists them with the formats they are for; a new format adds its kinds of files to
`FILES`. Ways that know what text is are in text_mutators.py, the choice between all in ways.py.
"""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Change = Callable[[random.Random, Path], str]
_SMALL = 64

OTF2 = "otf2"
CSV, FOLDER, GZIP, ZSTD, GRAPH = "csv", "csv folder", "csv.gz", "csv.zst", "call graph"
"""A file of text, one per process, compressed ones, and call graphs as fastotf2 writes them."""
FILES: dict[str, dict[str, tuple[str, int]]] = {
    OTF2: {
        "anchor": ("*.otf2", 2),
        "global definitions": ("*.def", 4),
        "local definitions": ("*/*.def", 4),
        "events": ("*/*.evt", 14),
    },
    CSV: {"text": ("*.csv", 1)},
    FOLDER: {"text": ("*.csv", 1)},
    GRAPH: {"text": ("*.csv", 1)},
    GZIP: {"compressed": ("*.csv.gz", 1)},
    ZSTD: {"compressed": ("*.csv.zst", 1)},
}
"""Per format, the kinds of files of a trace: their pattern, and how often they are damaged."""
TEXT = (CSV, FOLDER, GRAPH)
MANY_FILES = (OTF2, FOLDER)


@dataclass(frozen=True)
class Mutator:
    """A kind of damage; `weight` says how often it is drawn.

    One that `only_loses` leaves every byte that is still there at its place.
    """

    name: str
    apply: Change
    weight: int = 1
    formats: tuple[str, ...] = tuple(FILES)
    only_loses: bool = False


def _files(folder: Path) -> list[list[Path]]:
    """The files of each kind that are there, with the kinds as often as they are damaged."""
    found = []
    patterns = dict.fromkeys(kind for kinds in FILES.values() for kind in kinds.values())
    for pattern, weight in patterns:
        files = sorted(path for path in folder.glob(pattern) if path.is_file())
        found += [files] * weight if files else []
    return found


def _any_file(draw: random.Random, folder: Path) -> Path:
    kinds = _files(folder)
    return draw.choice(draw.choice(kinds)) if kinds else folder / "nothing"


def _in_a_file(change: Callable[[random.Random, bytearray], str]) -> Change:

    def apply(draw: random.Random, folder: Path) -> str:
        file = _any_file(draw, folder)
        content = bytearray(file.read_bytes()) if file.exists() else bytearray()
        if not content:
            return "nothing left to damage"
        done = change(draw, content)
        file.write_bytes(content)
        return f"{file.relative_to(folder)}: {done}"

    return apply


def _stretch(draw: random.Random, content: bytearray, most: int = 4 * _SMALL) -> slice:
    """A stretch of bytes, mostly a short one."""
    start = draw.randrange(len(content))
    longest = most if draw.random() < 0.8 else len(content)
    return slice(start, min(start + draw.randint(1, longest), len(content)))


def _reported(place: slice) -> str:
    return f"bytes {place.start} to {place.stop}"


def _cut(draw: random.Random, content: bytearray) -> str:
    lost = draw.choice([1, 2, 3, draw.randint(1, _SMALL), draw.randint(1, len(content))])
    size = max(len(content) - lost, 0)
    del content[size:]
    return f"cut to {size} bytes"


def _flip_bits(draw: random.Random, content: bytearray) -> str:
    count = draw.choice([1, 1, 1, 2, 8])
    places = sorted(draw.randrange(8 * len(content)) for _ in range(count))
    for place in places:
        content[place // 8] ^= 1 << place % 8
    return f"flipped bits {', '.join(map(str, places))}"


def _set_bytes(draw: random.Random, content: bytearray) -> str:
    count = draw.choice([1, 1, 2, 4, 9])
    start = draw.randrange(len(content))
    stop = min(start + count, len(content))
    value = draw.choice(["random", "00", "ff", "80", "7f"])
    if value == "random":
        content[start:stop] = draw.randbytes(stop - start)
    else:
        content[start:stop] = bytes.fromhex(value) * (stop - start)
    return f"bytes {start} to {stop} now {content[start:stop].hex(' ')}"


def _overwrite(draw: random.Random, content: bytearray) -> str:
    place = _stretch(draw, content)
    length = place.stop - place.start
    value = draw.choice([None, b"\x00", b"\xff"])
    content[place] = draw.randbytes(length) if value is None else value * length
    return f"overwrote {_reported(place)} with {'noise' if value is None else value.hex()}"


def _delete(draw: random.Random, content: bytearray) -> str:
    place = _stretch(draw, content)
    del content[place]
    return f"deleted {_reported(place)}"


def _duplicate(draw: random.Random, content: bytearray) -> str:
    place = _stretch(draw, content)
    target = draw.choice([place.stop, draw.randint(0, len(content)), len(content)])
    content[target:target] = content[place]
    return f"repeated {_reported(place)} at {target}"


def _insert(draw: random.Random, content: bytearray) -> str:
    start = draw.randint(0, len(content))
    noise = draw.randbytes(draw.choice([1, 2, 9, _SMALL]))
    content[start:start] = noise
    return f"inserted {len(noise)} bytes of noise at {start}"


def _swap(draw: random.Random, content: bytearray) -> str:
    length = draw.randint(1, min(_SMALL, max(len(content) // 2, 1)))
    one, other = sorted(draw.randint(0, len(content) - length) for _ in range(2))
    first, second = content[one : one + length], content[other : other + length]
    content[one : one + length] = second
    content[other : other + length] = first
    return f"swapped {length} bytes at {one} and {other}"


def _remove_file(draw: random.Random, folder: Path) -> str:
    file = _any_file(draw, folder)
    file.unlink(missing_ok=True)
    return f"{file.relative_to(folder)}: removed"


def _empty_file(draw: random.Random, folder: Path) -> str:
    file = _any_file(draw, folder)
    file.write_bytes(b"")
    return f"{file.relative_to(folder)}: emptied"


def _two_files(draw: random.Random, folder: Path) -> tuple[Path, Path]:
    """Two files, mostly of one kind."""
    kinds = _files(folder) or [[folder / "nothing"]]
    files = draw.choice(kinds)
    others = files if draw.random() < 0.8 else draw.choice(kinds)
    return draw.choice(files), draw.choice(others)


def _swap_files(draw: random.Random, folder: Path) -> str:
    one, other = _two_files(draw, folder)
    if one.exists() and other.exists():
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        other.write_bytes(first)
    return f"{one.relative_to(folder)} and {other.relative_to(folder)}: swapped"


def _copy_file(draw: random.Random, folder: Path) -> str:
    one, other = _two_files(draw, folder)
    if one.exists() and one != other:
        shutil.copyfile(one, other)
    return f"{other.relative_to(folder)}: now a copy of {one.relative_to(folder)}"


def _copy_block(draw: random.Random, folder: Path) -> str:
    one, other = _two_files(draw, folder)
    content = bytearray(one.read_bytes()) if one.exists() else bytearray()
    target = bytearray(other.read_bytes()) if other.exists() else bytearray()
    if not content or not target:
        return "nothing left to damage"
    place, at = _stretch(draw, content), draw.randrange(len(target))
    target[at : at + place.stop - place.start] = content[place]
    other.write_bytes(target)
    return f"{other.relative_to(folder)}: {_reported(place)} of {one.relative_to(folder)} at {at}"


MUTATORS = (
    Mutator("cut", _in_a_file(_cut), 4, only_loses=True),
    Mutator("flip bits", _in_a_file(_flip_bits), 8),
    Mutator("set bytes", _in_a_file(_set_bytes), 6),
    Mutator("overwrite", _in_a_file(_overwrite), 3),
    Mutator("delete", _in_a_file(_delete), 4),
    Mutator("duplicate", _in_a_file(_duplicate), 4),
    Mutator("insert", _in_a_file(_insert), 2),
    Mutator("swap blocks", _in_a_file(_swap), 4),
    Mutator("remove file", _remove_file, formats=MANY_FILES, only_loses=True),
    Mutator("empty file", _empty_file, only_loses=True),
    Mutator("swap files", _swap_files, 2, MANY_FILES),
    Mutator("copy file", _copy_file, 2, MANY_FILES),
    Mutator("copy block", _copy_block, 2, MANY_FILES),
)
