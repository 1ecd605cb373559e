"""A real browser that opens reports as people do: from a file, without any network.

Without Chromium these tests are skipped; where CI is set, as .ci/run does, they fail then.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from pipeline.reports.html import render_html
from pipeline.reports.model import Report

# The first shows pages alike for half the work: it has no window to draw.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
READY_MS, PATIENCE_MS = 30_000, 10_000
# Pages stand still, so that what is seen does not depend on when one looks.
VIEW = {"viewport": {"width": 1280, "height": 900}, "offline": True, "reduced_motion": "reduce"}
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")


class Open(Protocol):
    """Opens a report, or the HTML file of one, and waits until its widgets are drawn."""

    def __call__(self, shown: Report | Path, **context: Any) -> Page: ...


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file; beside it no prompt can run in a process."""
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        reason = "no Chromium is installed (Debian: apt-get install chromium-headless-shell)"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What went wrong in pages so far; whoever expects something takes it out."""
    return []


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path, complaints: list[str]) -> Iterator[Open]:
    """Opens pages; at the end of the test none may have complained or asked for anything."""
    closing: list[Callable[[], None]] = []

    def open_one(shown: Report | Path, **context: Any) -> Page:
        path = shown if isinstance(shown, Path) else _write(shown, tmp_path)
        opened = browser.new_context(**VIEW | context)
        closing.append(opened.close)
        page = opened.new_page()
        page.set_default_timeout(PATIENCE_MS)
        _listen(page, path, complaints)
        page.goto(path.as_uri())
        if context.get("java_script_enabled", True) and page.locator("[data-widget]").count():
            page.wait_for_selector("html[data-ready]", state="attached", timeout=READY_MS)
        return page

    yield open_one
    for close in closing:
        close()
    assert complaints == []


def _write(report: Report, folder: Path) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.html"
    path.write_text(render_html(report), encoding="utf-8")
    return path


def _listen(page: Page, path: Path, complaints: list[str]) -> None:
    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"console: {message.text}")

    def see(request: Request) -> None:
        if request.url.partition("#")[0] != path.as_uri():
            complaints.append(f"request: {request.url}")

    page.on("console", hear)
    page.on("request", see)
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
