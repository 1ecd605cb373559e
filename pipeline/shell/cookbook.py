"""The cookbook: questions about runs and campaigns, each with the query that answers it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from tracemill.base.errors import QueryError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.reports.tables import strip_header
from tracemill.sql.query_files import Query, all_queries

# Folder of the questions about a run, and of those about a campaign.
RUN_COOKBOOK = "cookbook"
CAMPAIGN_COOKBOOK = "campaign_cookbook"


@dataclass(frozen=True)
class Question:
    """A question with its query. `number` counts those about runs, or those about campaigns."""

    number: int
    query: Query

    @property
    def name(self) -> str:
        return self.query.relation

    @property
    def question(self) -> str:
        return self.query.description

    @property
    def sql(self) -> str:
        """The query as it can be typed anywhere: without header and parameters."""
        return strip_header(self.query.statement)


@cache
def run_questions() -> tuple[Question, ...]:
    """Questions about a run, by topic: the names begin with it."""
    return _questions(RUN_COOKBOOK)


@cache
def campaign_questions() -> tuple[Question, ...]:
    """Questions about a campaign."""
    return _questions(CAMPAIGN_COOKBOOK)


def _questions(concept: str) -> tuple[Question, ...]:
    queries = [query for query in all_queries() if query.concept == concept]
    return tuple(Question(number, query) for number, query in enumerate(queries, start=1))


def questions_for(tables: Collection[str]) -> tuple[Question, ...]:
    """The questions that a database with these tables can answer."""
    is_campaign = "campaign_runs" in tables
    questions = campaign_questions() if is_campaign else run_questions()
    return tuple(each for each in questions if set(each.query.inputs) <= set(tables))


def find_question(wanted: str, questions: Sequence[Question]) -> Question:
    """The question of that number or name; raises QueryError with similar names."""
    for question in questions:
        if wanted in (str(question.number), question.name):
            return question
    close = near_matches(wanted, [each.name for each in questions])
    hint = did_you_mean(close) or "see .examples"
    raise QueryError(f"no example {wanted}: {hint}")
