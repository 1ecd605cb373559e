"""Names of a trace in a page: what is seen of them is short, what is found and copied is whole."""

import re
from html import unescape

import pytest

from tests.end_to_end.test_reports import HOSTILE
from tracemill.base.names import format_path, make_visible
from tracemill.reports.html import _name
from tracemill.reports.model import Column, NamedPath
from tracemill.reports.page_names import JOINT, show_path, show_region, show_sentence
from tracemill.reports.units import Unit

BLANK = "\N{NO-BREAK SPACE}"
LONG = "/".join(["main", *(f"level_{at}" for at in range(30)), "MPI_Send"])


def text_of(shown: str) -> str:
    """What a reader finds and copies."""
    return unescape(re.sub(r"<[^>]*>", "", shown)).replace(JOINT, "")


def seen_in(shown: str) -> str:
    """What a reader sees where space is enough."""
    return text_of(re.sub(r"<i>[^<]*</i>", "…", shown))


def test_arguments_are_hidden_and_the_first_name_stands_apart() -> None:
    assert show_path("main(int, char**)/send(void (*)(int))/MPI_Send", " †") == (
        f"<span>main(<i>int, char**</i>)/{JOINT}</span>"
        "<span><bdi>send(<i>void (*)(int)</i>)/MPI_Send †</bdi></span>"
    )
    assert show_path("main") == "<span><bdi>main</bdi></span>"
    assert show_region("f(A<int>&)") == "f(<i>A&lt;int&gt;&amp;</i>)"


@pytest.mark.parametrize(
    "name", [*HOSTILE, LONG, "f(a)/g(b)/f(a)", "a…b/c…d", "f(g(x)/h)/x", "f(x)…(y)"]
)
def test_no_name_loses_anything(name: str) -> None:
    whole = make_visible(name)
    for shown in (show_path(name), show_region(name)):
        assert len(whole) > 1_000 or text_of(shown) == whole


def test_sentences_say_call_paths_with_whole_names_and_small_source_lines() -> None:
    path = "main/step(int)/MPI_Send"
    text = f'Without "{format_path(path)}" (a.c:7) & "b" (c.c:8) it is 2 s (1%).'
    assert show_sentence(text, {format_path(path): NamedPath(path, "/src/a.c:7")}) == (
        f'Without "<bdi class="said" title="{path}\n/src/a.c:7">main/<wbr>step(<i>int</i>)/<wbr>'
        'MPI_Send</bdi>" <small class="site">(a.c:7)</small> &amp; &#34;b&#34; (c.c:8) it is '
        f"2{BLANK}s (1%)."
    )


# The name of a function is as it is; of sentences, an amount and its unit are one word.
def test_no_line_of_a_sentence_ends_before_a_unit() -> None:
    name = "wait 3 s"
    shown = show_sentence(f'12.5 ms in "{name}", 3 of 4 MiB, 2 sends.', {name: NamedPath(name)})
    assert text_of(shown) == f'12.5{BLANK}ms in "{name}", 3 of 4{BLANK}MiB, 2 sends.'


def test_a_long_call_path_in_a_sentence_is_whole_in_its_text() -> None:
    shown = show_sentence(f'In "{format_path(LONG)}".', {format_path(LONG): NamedPath(LONG)})
    assert text_of(shown) == f'In "{LONG}".'
    assert seen_in(shown) == f'In "{format_path(LONG)}".'


# 15 names with 400 characters of arguments each: of the whole, a page has 1,000 characters.
def test_of_a_very_long_call_path_a_sentence_has_only_what_is_seen() -> None:
    path = "/".join(["main", *(f"solve_{at}({'x' * 400})" for at in range(15)), "f(int)"])
    shown = show_sentence(f'"{format_path(path)}"', {format_path(path): NamedPath(path)})
    assert text_of(shown) == f'"{format_path(path)}"'


def test_hostile_sentences_are_text() -> None:
    for name in HOSTILE:
        shown = show_sentence(f'"{name}" costs', {name: NamedPath(name, name)})
        assert not re.search(r"<(?!/?(?:bdi|wbr|i|small)\b)", shown)


@pytest.mark.parametrize("name", ["region", "worst_region", "caller", "callee"])
def test_regions_hide_their_arguments_in_every_column(name: str) -> None:
    shown = _name(Column(name=name, title="", unit=Unit.TEXT), "f(int)")
    assert shown == ("f(<i>int</i>)", "f(int)")
