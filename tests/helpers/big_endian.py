"""Rewrites archives as a machine of the other order of bytes would have written them."""

from pathlib import Path

from tracemill.kernels import records as rec
from tracemill.readers.otf2 import definitions

_LITTLE, _BIG = 0x42, 0x23
# One letter per field: B for a byte, H, F and T for 2, 4 and 8 bytes as they stand, W for a
# compressed integer, S for a text. What follows a bracket is repeated, as often as the field before
# it says; V is a type, and a value of that type.
_EVENTS = {record.code: record.arguments for record in rec.RECORDS} | {
    rec.METRIC_CODE: "WB[BW", rec.PROGRAM_BEGIN_CODE: "WW[W", 6: "W[WV",
}  # fmt: skip
_SINGLE = {12, 13, 16, 17, 20, 21, 24, 28, 29, 30}
_GLOBAL = {
    code: kind.fields.replace("T", "S").replace("A", "B(W)").replace("M", "W(W)")
    for code, kind in definitions._KINDS.items()
} | {8: "BWWBWB(B)B(B)B(W)", 36: "WWBBWW"}  # fmt: skip
_LOCAL = {5: "BWB*", 6: "TWT"}
_VALUES = {1: "B", 2: "H", 5: "B", 6: "H", 9: "F", 10: "T"}
_WHOLE = {"B": 1, "H": 2, "F": 4, "T": 8}


def write_big_endian(anchor: Path) -> None:
    """Rewrite an archive in place; its files have one chunk each."""
    folder = anchor.with_suffix("")
    for file in folder.glob("*.evt"):
        file.write_bytes(_swapped_file(file.read_bytes(), _EVENTS, are_events=True))
    for file in folder.glob("*.def"):
        file.write_bytes(_swapped_file(file.read_bytes(), _LOCAL))
    file = anchor.with_suffix(".def")
    file.write_bytes(_swapped_file(file.read_bytes(), _GLOBAL))
    anchor.write_bytes(_swapped_anchor(anchor.read_bytes()))


class _Swapper:
    def __init__(self, data: bytes) -> None:
        self.data, self.place, self.out = data, 0, bytearray()

    def whole(self, size: int) -> int:
        taken = self.data[self.place : self.place + size]
        self.place += size
        self.out += taken[::-1]
        return int.from_bytes(taken, "little")

    def field(self, letter: str) -> int:
        if letter in _WHOLE:
            return self.whole(_WHOLE[letter])
        if letter == "S":
            end = self.data.index(b"\0", self.place) + 1
            self.out += self.data[self.place : end]
            self.place = end
            return 0
        if letter == "V":
            return self.field(_VALUES.get(self.whole(1), "W"))
        size = self.whole(1)
        return self.whole(0 if size == 0xFF else size)

    def fields(self, letters: str) -> None:
        """Fields, the last of which may be repeated to the end (*) or as often as counted."""
        count, place = 0, 0
        while place < len(letters):
            letter = letters[place]
            place += 1
            if letter == "[":
                for _ in range(count):
                    for each in letters[place:]:
                        self.field(each)
                return
            if letter == "(":
                for _ in range(count):
                    self.field(letters[place])
                place += 2
            elif letter == "*":
                while self.place < len(self.data):
                    self.field("W")
            else:
                count = self.field(letter)


def _swapped_file(data: bytes, layouts: dict[int, str], *, are_events: bool = False) -> bytes:
    assert data[:2] == bytes([3, _LITTLE])
    swapper = _Swapper(data)
    swapper.out += bytes([3, _BIG])
    swapper.place = 2
    swapper.whole(8)
    swapper.whole(8)
    while (kind := swapper.whole(1)) != 2:
        if are_events and kind == 5:
            swapper.whole(8)
        elif are_events and kind in _SINGLE:
            swapper.field("W")
        else:
            _swap_record(swapper, layouts.get(kind))
    return bytes(swapper.out) + data[swapper.place :]


def _swap_record(swapper: _Swapper, letters: str | None) -> None:
    length = swapper.whole(1)
    length = swapper.whole(8) if length == 0xFF else length
    part = _Swapper(swapper.data[swapper.place : swapper.place + length])
    if letters is not None:
        part.fields(letters)
    swapper.out += part.out + part.data[part.place :]
    swapper.place += length


def _swapped_anchor(data: bytes) -> bytes:
    swapper = _Swapper(data)
    swapper.out += bytes([3, _BIG]) + data[2:12]
    swapper.place = 12
    swapper.fields("TTBBTTSSSF")
    assert swapper.data[swapper.place - 4 : swapper.place] == bytes(4), "properties"
    swapper.fields("TFF")
    return bytes(swapper.out) + data[swapper.place :]
