"""What the contract tests have in common: consoles of their own."""

from collections.abc import Iterator

import pytest

from pipeline.console import messages, results


@pytest.fixture(autouse=True)
def _fresh_consoles() -> Iterator[None]:
    """Consoles remember whether they write to a terminal; a test must not inherit that."""
    results.cache_clear()
    messages.cache_clear()
    yield
    results.cache_clear()
    messages.cache_clear()
