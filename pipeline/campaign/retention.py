"""Prunes a store: keeps runs that campaigns use, and others within given limits."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from tracemill.campaign.source import runs_used
from tracemill.store.holdings import find_holdings
from tracemill.store.pruning import Limits, Pruning, Uses, plan, plan_campaigns
from tracemill.store.removal import carry_out
from tracemill.store.sweep import is_being_written


def prune_store(store: Path, limits: Limits, *, is_dry_run: bool = False) -> Pruning:
    """Remove generations and runs beyond the limits; returns the decision on every run.

    Generations that a campaign uses are kept. Raises StoreError.
    """
    campaigns = plan_campaigns(store, limits)
    gone = {each.generation.path for each in campaigns if each.is_removed and each.generation}
    uses = partial(find_uses, store, without=gone)
    pruning = plan(store, limits, uses(), campaigns)
    if is_dry_run:
        return pruning
    done = {id(each) for each in carry_out(pruning.decisions, uses)}
    decisions = (
        each
        if id(each) in done or not each.is_removed
        else replace(
            each, is_removed=False, byte_count=0, reason=f"changed meanwhile ({each.reason})"
        )
        for each in pruning.decisions
    )
    return replace(pruning, decisions=tuple(decisions))


def find_uses(store: Path, *, without: Collection[Path] = ()) -> Uses:
    """The runs that the campaigns of a store use; `without` are campaign generations to ignore."""
    names: dict[tuple[str, str], str] = {}
    problem = ""
    for campaign in find_holdings(store, "campaign"):
        for generation in campaign.generations:
            if generation.path in without:
                continue
            if generation.source is None:
                problem = f"the campaign {campaign.name} cannot be read and may use it"
            else:
                names |= dict.fromkeys(runs_used(generation.source), campaign.name)
    for folder in (store / "campaigns").glob("campaign=*"):
        if is_being_written(folder):
            problem = f"{folder.name.replace('=', ' ')} is being made and may use it"
    return Uses(names=names, problem=problem)
