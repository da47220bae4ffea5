"""The pictures of docs/live.md, from the page itself in Chromium: ``make live-pictures``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import expect, sync_playwright

HERE = Path(__file__).parent / "_static"
COMMAND = [
    sys.executable,
    "-c",
    "import sys; from lethenet.cli import main; sys.exit(main())",
    "live",
]
LETTER = [(0.1, 0.2), (0.9, 0.2), (0.9, 0.8), (0.1, 0.8), (0.1, 0.2), (0.5, 0.55), (0.9, 0.2)]
WAIT = 120_000


def play(page: Any, samples: int) -> None:
    """Let the stream run to about so many samples."""
    page.select_option("#speed", "1000000")
    page.get_by_role("button", name="Play", exact=True).click()
    while int(page.locator("#status").inner_text().split()[1].replace(",", "")) < samples:
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(3000)  # tests go on for a moment


def draw(page: Any) -> None:
    """An envelope: like no digit."""
    page.locator("#pad").scroll_into_view_if_needed()
    box = page.locator("#pad").bounding_box()
    where = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in LETTER]
    page.mouse.move(*where[0])
    page.mouse.down()
    for point in where[1:]:
        page.mouse.move(*point, steps=8)
    page.mouse.up()


def main() -> None:
    """Take the pictures."""
    server = subprocess.Popen([*COMMAND, "--no-open"], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(
                viewport={"width": 1280, "height": 860}, reduced_motion="reduce"
            )
            page.set_default_timeout(WAIT)
            page.goto(address)
            expect(page.locator("#status")).to_contain_text("samples learned", timeout=WAIT)
            play(page, 5000)
            draw(page)
            page.get_by_role("button", name="Learn it").click()
            expect(page.locator("#answer")).to_contain_text("Dopamine fired", timeout=WAIT)
            page.get_by_label("This is a").fill("letter")
            page.get_by_role("button", name="Name it").click()
            expect(page.locator("#answer")).to_contain_text("letter", timeout=WAIT)
            page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            page.screenshot(path=HERE / "live.png", full_page=True)
            dark = browser.new_page(viewport={"width": 390, "height": 1200}, color_scheme="dark")
            dark.goto(address)
            expect(dark.locator("figcaption")).to_contain_text("annealed", timeout=WAIT)
            dark.screenshot(path=HERE / "live-narrow.png")
            page.select_option("#preset", "traditional")
            page.get_by_role("button", name="Compare").click()
            expect(page.locator("figcaption")).to_have_count(2, timeout=WAIT)
            page.fill("#turn", "2000")
            page.locator("#turn").blur()
            play(page, 20_000)
            page.evaluate("scrollTo(0, 0)")
            page.locator("#memory").screenshot(path=HERE / "live-compare.png")
            browser.close()
    finally:
        server.terminate()
        server.wait()
    for picture in HERE.glob("live*.png"):
        Image.open(picture).convert("RGB").quantize(256).save(picture, optimize=True)


if __name__ == "__main__":
    main()
