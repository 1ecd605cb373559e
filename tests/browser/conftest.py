"""A real browser that opens reports as people do: from a file, without any network.

Without Chromium these tests are skipped; where CI is set, as .ci/run does, they fail then.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from tracemill.reports.html import render_html
from tracemill.reports.model import Report

# The first shows pages alike for half the work: it has no window to draw.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
READY_MS, PATIENCE_MS = 30_000, 10_000
SIZE = {"width": 1280, "height": 900}
# Pages stand still, so that what is seen does not depend on when one looks.
VIEW = {"viewport": SIZE, "offline": True, "reduced_motion": "reduce"}
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")


class Open(Protocol):
    """Opens a report, or the HTML file of one, and waits until its widgets are drawn."""

    def __call__(
        self,
        shown: Report | Path,
        *,
        viewport: Any = SIZE,
        color_scheme: Any = "light",
        has_scripts: bool = True,
    ) -> Page: ...


class Tab:
    """A page that one test after the other uses, and what went wrong in it."""

    def __init__(self, browser: Browser, has_scripts: bool) -> None:
        self.has_scripts = has_scripts
        self.page = browser.new_context(**VIEW, java_script_enabled=has_scripts).new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self._complaints: list[str] = []
        self._url = ""
        self._listen(self.page)

    def show(self, path: Path, complaints: list[str], viewport: Any, color_scheme: Any) -> None:
        page = self.page
        self._complaints, self._url = complaints, path.as_uri()
        page.set_viewport_size(viewport)
        page.emulate_media(media="null", color_scheme=color_scheme)
        page.goto(self._url)
        if self.has_scripts and page.locator("[data-widget]").count():
            page.wait_for_selector("html[data-ready]", state="attached", timeout=READY_MS)

    def leave(self) -> None:
        """Nothing of the page goes on, and the next one does not begin below the mouse."""
        self.page.mouse.move(-1, -1)
        self.page.goto("about:blank")

    def _listen(self, page: Page) -> None:
        def complain(text: str) -> None:
            self._complaints.append(text)

        def hear(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                complain(f"console: {message.text}")

        def see(request: Request) -> None:
            if request.url.partition("#")[0] != self._url:
                complain(f"request: {request.url}")

        page.on("console", hear)
        page.on("request", see)
        page.on("pageerror", lambda error: complain(f"error: {error}"))
        page.on("dialog", lambda dialog: (complain(dialog.message), dialog.dismiss()))


class Reader:
    """A browser, started when the first page is opened; a process for each page is costly."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._browser: Browser | None = None
        self._free: list[Tab] = []

    @contextmanager
    def opening(self, folder: Path, complaints: list[str]) -> Iterator[Open]:
        """Opens pages; at the end they are left for others to use."""
        tabs: list[Tab] = []

        def open_one(
            shown: Report | Path,
            *,
            viewport: Any = SIZE,
            color_scheme: Any = "light",
            has_scripts: bool = True,
        ) -> Page:
            path = shown if isinstance(shown, Path) else _write(shown, folder)
            tabs.append(self._take(has_scripts))
            tabs[-1].show(path, complaints, viewport, color_scheme)
            return tabs[-1].page

        yield open_one
        for tab in tabs:
            tab.leave()
            self._free.append(tab)

    def close(self) -> None:
        self._closing.close()
        self._browser, self._free = None, []

    def _take(self, has_scripts: bool) -> Tab:
        for tab in self._free:
            if tab.has_scripts == has_scripts:
                self._free.remove(tab)
                return tab
        if self._browser is None:
            self._browser = self._start()
        return Tab(self._browser, has_scripts)

    def _start(self) -> Browser:
        executable = next(filter(None, map(shutil.which, NAMES)), None)
        if executable is None:
            reason = "no Chromium is installed (Debian: apt-get install chromium-headless-shell)"
            pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
        chromium = self._closing.enter_context(sync_playwright()).chromium
        browser = chromium.launch(executable_path=executable, args=list(QUIET))
        self._closing.callback(browser.close)
        return browser


READER = Reader()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After the last of these tests no browser is open: beside one no prompt can run."""
    try:
        yield
    finally:
        if nextitem is None or nextitem.path.parent != item.path.parent:
            READER.close()


def pytest_unconfigure() -> None:
    """Where tests were broken off."""
    READER.close()


@pytest.fixture
def complaints() -> list[str]:
    """What went wrong in pages so far; whoever expects something takes it out."""
    return []


@pytest.fixture
def open_page(tmp_path: Path, complaints: list[str]) -> Iterator[Open]:
    """Opens pages; at the end of the test none may have complained or asked for anything."""
    with READER.opening(tmp_path, complaints) as open_one:
        yield open_one
    assert complaints == []


@pytest.fixture(scope="module")
def open_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Opens pages that stay open for the tests of a file, as none depends on what another does."""
    complaints: list[str] = []
    with READER.opening(tmp_path_factory.mktemp("pages"), complaints) as open_one:
        yield open_one
    assert complaints == []


def unfold(page: Page) -> None:
    """Open all folds but those of SQL."""
    page.evaluate("document.querySelectorAll('details:not(.sql)').forEach((it) => it.open = true)")


def _write(report: Report, folder: Path) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.html"
    path.write_text(render_html(report), encoding="utf-8")
    return path
