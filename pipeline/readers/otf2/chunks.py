"""The headers of the chunks that event and definition files consist of."""

import struct
from dataclasses import dataclass
from typing import Literal

Order = Literal["little", "big"]
CHUNK_HEADER_BYTES = 18
CHUNK_HEADER = 3
BYTE_ORDERS: dict[int, Order] = {0x42: "little", 0x23: "big"}


@dataclass(frozen=True)
class ChunkHeader:
    """The numbers of a chunk's first and last event, and its order of bytes."""

    first: int
    last: int
    order: Order


def read_header(data: bytes, place: int = 0) -> ChunkHeader | None:
    """The header of a chunk at a place; None if this is none."""
    header = data[place : place + CHUNK_HEADER_BYTES]
    if len(header) < CHUNK_HEADER_BYTES or header[0] != CHUNK_HEADER:
        return None
    order = BYTE_ORDERS.get(header[1])
    if order is None:
        return None
    first, last = struct.unpack("<QQ" if order == "little" else ">QQ", header[2:])
    return ChunkHeader(first, last, order)
