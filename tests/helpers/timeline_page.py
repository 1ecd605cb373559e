"""The timeline of a page in a browser: keys to it, and what is seen and told there."""

from playwright.sync_api import Page

LANES = ".timeline .lanes"


def press(page: Page, *keys: str) -> None:
    page.focus(LANES)
    for key in keys:
        page.keyboard.press(key)
    see_drawn(page)


def see_drawn(page: Page) -> None:
    """Wait until what was done so far is drawn, which is at the next frame."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def told(page: Page) -> str:
    return page.inner_text(".timeline .tell")


def colors(page: Page) -> dict[str, int]:
    """How many pixels of the rows have each color, once the page is laid out and drawn."""
    found = page.evaluate(
        """async () => {
          const frame = () => new Promise(requestAnimationFrame);
          await frame();
          await frame();
          await frame();
          const canvas = document.querySelector(".timeline canvas");
          const [width, height] = [canvas.width - 90, canvas.height - 30];
          const copy = new OffscreenCanvas(width, height).getContext("2d");
          copy.drawImage(canvas, -90, -30);
          const { data } = copy.getImageData(0, 0, width, height);
          const counts = {};
          for (let at = 0; at < data.length; at += 4) {
            const name = [data[at], data[at + 1], data[at + 2]].join();
            counts[name] = (counts[name] || 0) + 1;
          }
          return counts;
        }"""
    )
    return {str(name): int(count) for name, count in found.items()}


def rgb(page: Page, name: str) -> str:
    """A color of the page; "#fff" is short for "#ffffff"."""
    value = str(page.evaluate("(name) => tracemill.color(name)", name)).lstrip("#")
    digits = value if len(value) > 3 else "".join(2 * digit for digit in value)
    return ",".join(str(int(digits[at : at + 2], 16)) for at in (0, 2, 4))


def window(page: Page) -> dict[str, float] | None:
    """What is shown, as other parts of the page are told a quarter of a second after a change."""
    found: dict[str, float] | None = page.evaluate(
        """() => new Promise((done) => {
          setTimeout(() => done(tracemill.selection.get("window")), 260);
        })"""
    )
    return found
