"""Plain help with wrapped entries; cyclopts prints the line breaks of docstrings."""

from textwrap import fill
from typing import TYPE_CHECKING

from cyclopts.help.formatters.plain import PlainFormatter

if TYPE_CHECKING:
    from rich.console import Console


class WrappingFormatter(PlainFormatter):
    """Prints entries of lists as paragraphs."""

    def _print_plain(self, console: "Console", text: str) -> None:
        if text.startswith(self.indent):
            text = fill(
                " ".join(text.split()),
                console.width,
                initial_indent=self.indent,
                subsequent_indent=3 * self.indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
        super()._print_plain(console, text)
