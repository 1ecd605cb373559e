"""Source lines of the call paths that a report shows, in tables and sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tracemill.base.names import format_path, site_behind
from tracemill.reports.material import Material
from tracemill.reports.model import Cause, Column, Finding, NamedPath, Opening, Section, Table
from tracemill.reports.wording import QUOTED, quote, quoted_among

QUERY = "sources_of_call_paths"


def with_sources(
    sections: Sequence[Section], material: Material
) -> tuple[tuple[Section, ...], Mapping[str, NamedPath]]:
    """The sections with file and line of call paths where known, and the paths in sentences.

    Paths in sentences are by the names that the sentences give them.
    """
    paths = _fetched([text for section in sections for text in _texts(section)], material)
    shown = {*paths.values(), *(path for section in sections for path in _shown(section))}
    found = material.arrays(QUERY, call_paths=sorted(shown)) if shown else {}
    sources = dict(zip(*map(list, found.values()), strict=True)) if found else {}
    known = {name: NamedPath(path, sources.get(path, "")) for name, path in paths.items()}
    return tuple(_with_sources(section, sources, known) for section in sections), known


def _fetched(texts: Sequence[str], material: Material) -> dict[str, str]:
    """The call paths that sentences name; a name that several have is left out."""
    names = {name for text in texts for name in QUOTED.findall(text)}
    found: dict[str, set[str]] = {}
    for path in material.fetched_paths() if names else ():
        name = format_path(path)
        has_quotes = '"' in name and any(quote(name) in text for text in texts)
        if has_quotes or name in names:
            found.setdefault(name, set()).add(path)
    return {name: path for name, (path, *others) in found.items() if not others}


def _texts(section: Section) -> Iterator[str]:
    """All sentences of a section."""
    yield from (*section.sentences, *section.remarks)
    for finding in section.findings:
        yield from (finding.headline, finding.detail)
    if section.opening:
        yield section.opening.verdict


def _shown(section: Section) -> Iterator[str]:
    """The call paths of tables, and of causes on the first screen."""
    for table in section.tables:
        for column in table.columns:
            if column.is_path:
                yield from (str(each) for each in table.values(column.name) if each is not None)
    yield from (cause.call_path for cause in section.opening.causes) if section.opening else ()


def _with_sources(
    section: Section, sources: Mapping[str, str], paths: Mapping[str, NamedPath]
) -> Section:
    quoted = quoted_among(paths)

    def say(text: str) -> str:
        return quoted.sub(lambda said: said[0] + _place(paths.get(said[1])), text)

    def find(each: Finding) -> Finding:
        return replace(each, headline=say(each.headline), detail=say(each.detail))

    return replace(
        section,
        opening=_of_opening(section.opening, say(section.opening.verdict), sources)
        if section.opening
        else None,
        sentences=tuple(map(say, section.sentences)),
        findings=tuple(map(find, section.findings)),
        remarks=tuple(map(say, section.remarks)),
        tables=tuple(_of_table(table, sources) for table in section.tables),
    )


def _place(path: NamedPath | None) -> str:
    site = site_behind(path.call_path, path.source) if path else ""
    return f" ({site})" if site else ""


def _of_opening(opening: Opening, verdict: str, sources: Mapping[str, str]) -> Opening:
    def place(cause: Cause) -> Cause:
        return replace(cause, source=sources.get(cause.call_path, ""))

    return replace(opening, verdict=verdict, causes=tuple(map(place, opening.causes)))


def _of_table(table: Table, sources: Mapping[str, str]) -> Table:
    def place(column: Column) -> Column:
        values = map(str, table.values(column.name)) if column.is_path else ()
        known = {each: sources[each] for each in values if each in sources}
        return replace(column, sources=known) if known else column

    return replace(table, columns=tuple(map(place, table.columns)))
