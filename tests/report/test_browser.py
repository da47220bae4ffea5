"""The report in a real browser: pictures load, nothing is fetched, it fits wide and narrow windows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lethenet.report import write_comparison, write_report

pytest.importorskip("matplotlib")
playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, finished_run: Path) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        "report": write_report(finished_run),
        "comparison": write_comparison([finished_run, finished_run / "twin"], folder),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize(("name", "n_pictures"), [("report", 10), ("comparison", 2)])
def test_page(
    browser: Any, pages: dict[str, Path], name: str, n_pictures: int, width: int, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    requested: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    address = pages[name].as_uri()
    page.goto(address, wait_until="load")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    widths = page.evaluate("[...document.images].map(image => image.naturalWidth)")
    assert len(widths) == n_pictures
    assert min(widths) > 0
    outside = [url for url in requested if url != address and not url.startswith("data:")]
    assert outside == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    page.close()


def test_reads_from_top_to_bottom(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.goto(pages["report"].as_uri())
    assert page.title().startswith("mnist, 60 neurons")
    assert page.get_by_role("heading", level=1).count() == 1
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert headings[0] == "What was run"
    assert "How to reproduce it" in headings
    page.get_by_role("link", name="Settings").click()
    details = page.locator("details")
    assert details.get_attribute("open") is None
    page.get_by_text("settings", exact=False).last.click()
    assert page.get_by_role("cell", name="13.5").first.is_visible()
    page.close()
