"""Parts of what is computed from a trace, for runs of which tests look at some tables alone."""

from tracemill.campaign.gathering import SIZES
from tracemill.comparison.comparing import QUERY
from tracemill.engine.recipe import Recipe, standard_recipe
from tracemill.sql.query_files import Query, load_query, stored_inputs
from tracemill.stages.stage import PythonStage


def recipe_of_comparisons(*more: str) -> Recipe:
    """What makes the tables by which runs are compared, that which tells of losses, and more."""
    asked = stored_inputs([load_query(SIZES), load_query(QUERY)])
    return recipe_making("trace_quality", *more, *asked)


def recipe_making(*tables: str) -> Recipe:
    """What makes some tables and those that they are made from."""
    whole = standard_recipe()
    makers: dict[str, Query | PythonStage] = {
        query.relation: query for query in whole.queries if query.is_stage
    }
    for stage in whole.python_stages:
        makers |= {table.name: stage for table in stage.outputs}
    wanted, needed = list(tables), set[str]()
    while wanted:
        name = wanted.pop()
        if name in makers and name not in needed:
            needed.add(name)
            wanted += makers[name].inputs
    return Recipe(
        tuple(query for query in whole.queries if query.is_stage and query.relation in needed),
        tuple(s for s in whole.python_stages if needed & {table.name for table in s.outputs}),
        whole.tables,
    )
