"""The folder of the shipped queries."""

from pathlib import Path

from tracemill import schemas

# Beside schemas/, in a checkout as in an installed package.
QUERIES = Path(schemas.__file__).resolve().parents[1] / "queries"
