"""The live page in a real browser, as people use it: mouse, keys, narrow and dark windows."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update"]
ZIGZAG = [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)]


def expect(what: Any) -> Any:
    return playwright.expect(what)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield chromium
        chromium.close()


class Opened:
    """A page, and what it asked for and complained about."""

    def __init__(self, browser: Any, live: Any, width: int = 1300, **options: Any) -> None:
        options = {"reduced_motion": "reduce", **options}
        self.page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        self.page.set_default_timeout(30_000)
        self.requested: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requested.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.origin = f"http://{live.host}/"
        self.page.goto(live.address)
        expect(self.page.locator("#status")).to_contain_text(re.compile("samples? learned"))

    def close(self) -> None:
        outside = [url for url in self.requested if not url.startswith((self.origin, "blob:"))]
        self.page.close()
        assert outside == []
        assert self.complaints == []

    def anew(self) -> None:
        """A new network of the size that these tests have."""
        self.page.fill("#neurons", "40")
        self.page.fill("#threshold", "14.5")
        self.page.select_option("#preset", "annealed")
        self.page.get_by_role("button", name="Start anew").click()
        expect(self.page.locator("#status")).to_contain_text("digits: 0 samples learned, paused")
        expect(self.page.locator("figcaption")).to_have_count(1)  # nothing moves any more

    def draw(self, points: list[tuple[float, float]]) -> None:
        self.page.get_by_role("button", name="Clear").click()
        pad = self.page.locator("#pad")
        pad.scroll_into_view_if_needed()
        box = pad.bounding_box()
        where = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
        self.page.mouse.move(*where[0])
        self.page.mouse.down()
        for point in where[1:]:
            self.page.mouse.move(*point, steps=4)
        self.page.mouse.up()

    def samples(self) -> int:
        text = self.page.locator("#status").inner_text()
        return int(re.search(r"([\d,]+) samples?", text)[1].replace(",", ""))


@pytest.fixture
def opened(browser: Any, live: Any) -> Iterator[Opened]:
    found = Opened(browser, live)
    yield found
    found.close()


def test_draw_unknown_learn_name_and_know_again(opened: Opened) -> None:
    opened.anew()
    page, answer = opened.page, opened.page.locator("#answer")
    opened.draw(ZIGZAG)
    page.get_by_role("button", name="Recognise").click()
    expect(answer).to_contain_text("Unknown")
    expect(page.locator("#familiar")).to_have_text("It is like nothing that was learned.")
    page.get_by_role("button", name="Learn it").click()
    expect(answer).to_contain_text("Dopamine fired")
    expect(page.locator("#forgotten")).to_contain_text("was overwritten")
    page.get_by_label("This is a").fill("lightning")
    page.get_by_role("button", name="Name it").click()
    expect(answer).to_contain_text("From now on, this is “lightning”")
    expect(page.locator("#classes")).to_contain_text("lightning")
    opened.draw(ZIGZAG)
    page.get_by_role("button", name="Recognise").click()
    expect(answer).to_contain_text("It is “lightning”")
    expect(page.locator(".vote").first).to_contain_text("lightning")
    expect(page.locator("#familiar")).to_contain_text(
        "(“lightning”), which would answer in time in 100"
    )
    expect(page.locator("#explained")).to_contain_text("Your drawing, recognised")
    page.get_by_role("button", name="Start anew").click()
    expect(answer).to_be_empty()  # another network has not seen it


def test_play_pause_and_the_next_class(opened: Opened) -> None:
    opened.anew()
    page, status = opened.page, opened.page.locator("#status")
    page.select_option("#speed", "1000")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(status).to_contain_text("per second")
    expect(page.locator("#values")).to_contain_text(re.compile(r"accuracy \d+ %, novelty \d+ %"))
    page.select_option("#speed", "20")  # at a thousand, a turn of 140 digits is over in no time
    page.locator("#classes").get_by_role("button", name="7").click()
    expect(page.locator("#phase")).to_have_text("Now: 7")
    page.get_by_role("button", name="Pause").click()
    expect(status).to_contain_text("paused")
    before = opened.samples()
    page.get_by_role("button", name="One sample").click()
    expect(status).to_contain_text(re.compile(f"{before + 1:,} samples?"))
    expect(page.locator("#explained")).to_contain_text("A sample of the stream, learned")
    page.locator("canvas.grid").click(position={"x": 20, "y": 20})
    expect(page.locator("#neuron")).to_contain_text("Neuron 0:")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#neuron")).to_contain_text("Neuron 1:")


def test_a_second_network_and_a_reload(opened: Opened) -> None:
    opened.anew()
    page, titles = opened.page, opened.page.locator("figcaption")
    page.select_option("#preset", "paper")
    page.fill("#threshold", "13")
    page.get_by_role("button", name="Compare").click()
    expect(titles).to_have_count(2)
    expect(titles.nth(1)).to_have_text("paper, 40 neurons, threshold 13")
    page.get_by_role("button", name="One sample").click()
    expect(page.locator("#status")).to_contain_text("1 sample learned")
    page.reload()
    expect(page.locator("#status")).to_contain_text("1 sample learned")
    expect(titles).to_have_count(2)
    page.get_by_role("button", name="Remove the second").click()
    expect(titles).to_have_count(1)
    page.fill("#threshold", "-3")
    page.get_by_role(
        "button", name="Change threshold"
    ).click()  # the form itself says what is wrong
    page.fill("#threshold", "")
    page.fill("#neurons", "40")
    page.get_by_role("button", name="Change threshold").click()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_kept_and_loaded(opened: Opened, tmp_path: Path) -> None:
    opened.anew()
    page = opened.page
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the network").click()
    saved.value.save_as(tmp_path / "model.safetensors")
    with page.expect_download() as session:
        page.get_by_role("button", name="Download the session").click()
    assert session.value.suggested_filename == "session.jsonl"
    page.get_by_label("Load a network").set_input_files(tmp_path / "model.safetensors")
    expect(page.locator("figcaption")).to_contain_text("a loaded model")
    (tmp_path / "other.safetensors").write_bytes(b"no model")
    page.get_by_label("Load a network").set_input_files(tmp_path / "other.safetensors")
    expect(page.get_by_role("alert")).to_contain_text("not a complete safetensors file")
    # the browser reports the refusal itself
    opened.complaints[:] = [text for text in opened.complaints if "422" not in text]


def test_with_the_keyboard_alone(opened: Opened) -> None:
    opened.anew()
    page, press = opened.page, opened.page.keyboard.press
    page.locator("#pad").focus()
    press("Space")
    for key in ["ArrowRight"] * 6 + ["ArrowDown"] * 6 + ["ArrowLeft"] * 9:
        press(key)
    press("Enter")
    expect(page.locator("#answer")).to_contain_text("Unknown")
    reached = []
    for _ in range(60):
        press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.value"))
    press("Shift+Tab")
    wanted = {"play", "step", "speed", "kind", "turn", "pad", "recognise", "learn", "clear", "time"}
    assert wanted | {"preset", "save", "session", "load", "theme", "compare"} <= set(reached)
    page.locator("#learn").focus()
    press("Enter")
    expect(page.locator("#answer")).to_contain_text("New!")
    press("Tab")
    page.locator("#name").focus()
    page.keyboard.type("hook")
    press("Enter")
    expect(page.locator("#answer")).to_contain_text("“hook”")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_narrow_and_dark(browser: Any, live: Any, width: int, scheme: str) -> None:
    opened = Opened(browser, live, width, color_scheme=scheme)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    opened.anew()
    opened.draw(ZIGZAG)
    page.get_by_role("button", name="Learn it").click()
    expect(page.locator("#change")).to_be_visible()
    page.locator("canvas.grid").click(position={"x": 5, "y": 5})
    expect(page.locator("#neuron")).to_be_visible()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("figcaption")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Recognise").click()
    expect(page.get_by_role("alert")).to_have_text("Draw something first.")
    expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)  # wherever one has scrolled to
    opened.close()


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest) -> str:
    """axe-core from npm, kept in pytest's cache."""
    folder = Path(request.config.cache.mkdir("axe"))
    script = folder / "package" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("no npm on PATH: it brings axe-core")
        packed = subprocess.run(
            [npm, "pack", "axe-core@4"], cwd=folder, capture_output=True, check=False
        )
        if packed.returncode:
            pytest.skip("npm cannot fetch axe-core: no network?")
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            archive.extractall(folder, filter="data")
    return script.read_text("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, live: Any, axe: str, scheme: str) -> None:
    opened = Opened(browser, live, color_scheme=scheme, bypass_csp=True)
    opened.draw(ZIGZAG)
    for name in ("Recognise", "Learn it"):
        opened.page.get_by_role("button", name=name).click()
        expect(opened.page.locator("#answer")).not_to_be_empty()
    opened.page.locator("canvas.grid").first.click(position={"x": 5, "y": 5})
    expect(opened.page.locator("#neuron")).to_be_visible()
    opened.page.evaluate(axe)
    found = opened.page.evaluate("axe.run()")
    serious = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [node["html"] for node in v["nodes"]]) for v in serious] == []
    opened.page.close()


def test_a_page_of_another_origin_cannot_connect(browser: Any, live: Any) -> None:
    page = browser.new_page()
    page.goto("data:text/html,<p>elsewhere")
    said = page.evaluate(
        """address => new Promise(done => {
            const socket = new WebSocket(address);
            socket.onopen = () => done("open");
            socket.onerror = () => done("refused");
        })""",
        f"ws://{live.host}/live",
    )
    assert said == "refused"
    page.close()
