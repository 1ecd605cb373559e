"""Recipes: the queries and stages for a trace, for user patterns, and for a campaign."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.patterns.catalog import known_tables, table_of
from tracemill.patterns.own import patterns_of_store, read_patterns
from tracemill.patterns.stages import metrics_stage, pattern_stages
from tracemill.schemas import Table
from tracemill.sql.query_files import Query, all_queries, run_queries
from tracemill.stages import PYTHON_STAGES
from tracemill.stages.stage import PythonStage
from tracemill.store.runs import Store


@dataclass(frozen=True)
class Recipe:
    """Queries and Python stages that make the declared tables from a trace."""

    queries: tuple[Query, ...]
    python_stages: tuple[PythonStage, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=known_tables)


def standard_recipe(own: Sequence[Query] = ()) -> Recipe:
    """Everything that is computed from a trace; with patterns of your own."""
    return Recipe(
        (*run_queries(), *own),
        (*PYTHON_STAGES, *pattern_stages(own)),
        {**known_tables(), **{query.relation: table_of(query) for query in own}},
    )


def recipe_of(store: Store, patterns: Sequence[Path] = ()) -> Recipe:
    """The standard recipe with patterns of the store and of other folders.

    Raises PatternError or MissingInputError for unusable patterns.
    """
    return standard_recipe(read_patterns((*patterns_of_store(store.path), *patterns)))


def campaign_recipe() -> Recipe:
    """Everything that is computed from the runs of a campaign."""
    from tracemill.stages.campaign import CAMPAIGN_STAGES  # needs SciPy, which starts slowly

    queries = tuple(query for query in all_queries() if query.is_of_campaigns)
    return Recipe(queries, (*CAMPAIGN_STAGES, metrics_stage()))
