"""Tables of pairs of ranks: the size limit of a matrix, and its picture."""

from tracemill.reports.model import Drawing, Drawn, Table
from tracemill.reports.pictures.matrices import draw_matrix
from tracemill.reports.units import Unit, format_value

MATRIX_LIMIT = 64


def draw_pairs(table: Table) -> Drawing:
    """The picture of a table in the layout MATRIX."""
    return Drawing(
        name=table.name.replace("_", "-"), title=table.title, draw=lambda: _draw_matrix(table)
    )


def _draw_matrix(table: Table) -> Drawn:
    rows, columns = (table.values(column.name) for column in table.columns[:2])
    amounts = {
        (int(row), int(column)): float(amount or 0)
        for row, column, amount in zip(rows, columns, table.values(table.measure.name), strict=True)
        if row is not None and column is not None
    }
    labels = table.columns[0].title, table.columns[1].title
    unit = table.measure.unit
    base = 1024 if unit == Unit.SIZE else 10
    return draw_matrix(amounts, table.name, labels, lambda value: format_value(value, unit), base)
