"""What patterns find apart from waiting."""

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

FINDINGS: tuple[str, ...] = ()


def findings(tables: Tables) -> list[Row]:
    """All of them together."""
    return [row for name in FINDINGS for row in tables[name]]
