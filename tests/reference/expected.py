"""Write expected results of the traces in data/: python -m tests.reference.expected TRACES."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb

from tests.reference.cases import DATA, EXPECTED_NAME, find_cases
from tests.reference.metrics import COMPARED, DELAYS
from tracemill.sql.query_files import read_query

EXPECTED = read_query(Path(__file__).with_name("expected_severities.sql"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Overwrite the expected results of each trace in data/ that has a reference in TRACES."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference.expected", description=__doc__)
    parser.add_argument("traces", type=Path, help="folder of traces, each with reference.csv")
    cases, _ = find_cases(parser.parse_args(arguments).traces)
    for case in cases:
        target = DATA / case.name / EXPECTED_NAME
        if target.parent.exists():
            write_expected(case.reference, target)
            print(target)
    return 0


def write_expected(reference: Path, target: Path) -> None:
    """Write what a reference says about the compared metrics, zeros left out."""
    values = EXPECTED.bind(
        {"reference": str(reference), "metrics": ",".join(sorted(COMPARED - DELAYS))}
    )
    with duckdb.connect() as connection:
        connection.sql(EXPECTED.statement, params=values).to_csv(str(target), header=True)


if __name__ == "__main__":
    sys.exit(main())
