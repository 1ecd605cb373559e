"""Records by location and type, as the official Python reader of OTF2 counts them."""

from collections import Counter
from pathlib import Path

import otf2
import pytest

from tests.helpers.otf2_reading import ReadTrace, read_archive

DATA = Path(__file__).parents[2] / "data"
ARCHIVES = sorted(anchor.parent.name for anchor in DATA.glob("*/*.otf2"))


def counts_of(tables: ReadTrace) -> dict[tuple[int, str], int]:
    return {
        (location, record): count
        for location, record, count in tables.rows(
            "record_counts", "location_id record record_count"
        )
    }


@pytest.mark.parametrize("name", ARCHIVES)
def test_counts_by_type_are_those_of_the_official_reader(name, tmp_path):
    anchor = DATA / name / "traces.otf2"
    with otf2.reader.open(str(anchor)) as reader:
        numbers = {place: number for number, place in enumerate(reader.definitions.locations)}
        expected = Counter((numbers[place], type(event).__name__) for place, event in reader.events)
    tables = read_archive(anchor, tmp_path)
    assert counts_of(tables) == expected
    assert tables.one("runs", "record_count") == (sum(expected.values()),)
