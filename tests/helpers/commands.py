"""Commands on analyses that tests share."""

from tracemill import cli
from tracemill.engine.analyze import Analysis


def run(command: str, analysis: Analysis, *arguments: str) -> int:
    """Run a command on an analyzed trace; returns its exit code."""
    store = str(analysis.run.path.parents[2])
    return cli.main([command, analysis.run.run_id, "--store", store, *arguments])
