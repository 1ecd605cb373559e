"""Exit codes: each error has its own, and the reference of commands explains it."""

from collections.abc import Callable

import pytest

from tracemill import cli
from tracemill.base import errors
from tracemill.base.errors import PipelineError, UsageError
from tracemill.reference.commands import exit_codes
from tracemill.store import finding as opening


def all_errors(base: type[PipelineError] = PipelineError) -> list[type[PipelineError]]:
    return [base] + [each for child in base.__subclasses__() for each in all_errors(child)]


def test_every_error_has_an_exit_code_of_its_own_that_no_shell_uses() -> None:
    public = [each for each in all_errors() if each.__module__ == errors.__name__]
    codes = [each.exit_code for each in public]
    assert len(codes) == len(set(codes))
    # 2 is also what the parser of the command line gives, 1 is that of Python's own failures.
    assert all(2 <= code < 126 for code in codes)
    assert cli.main(["nosuch"]) == UsageError.exit_code == 2


def test_the_reference_explains_each_exit_code() -> None:
    listed = exit_codes()
    assert list(listed) == sorted(listed)
    public = {each.exit_code for each in all_errors() if each.__module__ == errors.__name__}
    assert set(listed) == public | {0, cli.INTERRUPTED, cli.BROKEN_PIPE}
    assert listed[13] == "the trace is damaged"


def _fail_with(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_an_error_ends_with_its_exit_code(
    kind: type[PipelineError], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        opening, "existing_store", _fail_with(kind("what: where,\n  what to do [x]"))
    )
    assert cli.main(["runs"]) == kind.exit_code
    assert capsys.readouterr().err == "tracemill: what: where, what to do [x]\n"


def test_an_interruption_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opening, "existing_store", _fail_with(KeyboardInterrupt()))
    assert cli.main(["runs"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_our_own_bugs_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "existing_store", _fail_with(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        cli.main(["runs"])
