"""Every relation that is computed from a trace has a slow and obvious version in Python."""

from typing import Any

from tests.oracle.relations import LISTS, ORACLES, TEXTS, WITHOUT
from tracemill.engine.graph import ReadStage, build_graph
from tracemill.engine.recipe import standard_recipe
from tracemill.patterns.catalog import catalog
from tracemill.readers.otf2.source import Otf2Source
from tracemill.schemas import BY_NAME


class AnySource:
    """What a graph needs to know of a trace."""

    tables = Otf2Source.tables


def computed() -> set[str]:
    """The relations that stages make, stored or not."""
    source: Any = AnySource()
    graph = build_graph(source, standard_recipe())
    made = [stage.outputs for stage in graph if not isinstance(stage, ReadStage)]
    return {table.name for outputs in made for table in outputs}


def test_every_relation_has_an_oracle_or_a_reason_to_have_none() -> None:
    """The call tree has one, too, though it is summed up in reading.

    A pattern need not have one, as its golden tests hold what it finds.
    """
    patterns = {query.relation for query in catalog()}
    assert computed() - set(ORACLES) - patterns == {*WITHOUT, *LISTS}
    assert set(ORACLES) - computed() == {"call_tree"}


def test_the_exceptions_are_few_and_explained() -> None:
    assert len(WITHOUT) <= 2
    assert all(len(reason.split()) > 5 for reason in WITHOUT.values())
    columns = {f"{table}.{column}" for table, names in TEXTS.items() for column in names}
    assert columns == {"trace_quality.detail"}
    assert "detail" in BY_NAME["trace_quality"].column_names
