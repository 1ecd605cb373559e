"""Expressions of programs and campaigns, and what they do not accept."""

import math

import pytest

from tracemill.base.expressions import Expression, ExpressionError

VALUES = {"n": 10.0, "p": 4.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("1_000 + 0.5", 1000.5),
        ("n - p - 1", 5),
        ("2 * n ** 2 / p", 50),
        ("2 * n^2 / p", 50),
        ("-n ** 2 + 200", 100),  # the power comes first
        ("n // p + 7 // 2", 5),
        ("-7 // 2", -4),
        ("(n + 2) * (p - 1)", 36),
        ("sqrt(p) + log2(8) + log10(100) + log(exp(3))", 10),
        ("min(n, p, 7) * max(n, p)", 40),
        ("ceil(n / p) + floor(n / p)", 5),
    ],
)
def test_expressions_have_values(text: str, value: float) -> None:
    assert Expression(text).evaluate(VALUES) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["1 / 0", "0 / 0", "n // 0", "log(0)", "sqrt(-1)", "10.0 ** 400", "exp(1000)",
             "(-8) ** 0.5", "0 ** (-1)", "ceil(exp(1000))"],
)  # fmt: skip
def test_undefined_values_are_not_finite(text: str) -> None:
    assert not math.isfinite(Expression(text).evaluate(VALUES))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n +", "'n +' is no expression: write one like n**3"),
        ("", "'' is no expression: write one like n**3"),
        ("(" * 500, "is no expression"),
        ("m", "'m': no m: names that can be used are n, p"),
        ("n % 2", "'n % 2': n % 2 cannot be computed: write n**3"),
        ("True", "'True': True cannot be computed"),
        ("'n'", "cannot be computed"),
        ("n.real", "'n.real': n.real cannot be computed"),
        ("abs(n)", "cannot be computed"),
        ("sqrt(n, p)", "cannot be computed"),
        ("max(n)", "cannot be computed"),
        ("max(n, key=p)", "cannot be computed"),
        ("min(*n)", "cannot be computed"),
        ("1e301", "'1e301': a number is too large"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        Expression(text).evaluate(VALUES)
    assert message in str(error.value)


def test_names_are_found() -> None:
    assert Expression("max(n, 2) / sqrt(p)").names == {"n", "p"}
