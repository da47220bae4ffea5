"""The report: whole, well-formed, self-contained, and harmless whatever the names are."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from markupsafe import Markup

from lethenet.report import read_results, run_report, show, write_comparison, write_report
from lethenet.report.headline_numbers import MEASURES
from lethenet.report.rendering import render
from lethenet.report.run_figures import RUN_FIGURES as ALL_FIGURES

Maker = Callable[..., Path]
VOID = {"meta", "img", "br", "col"}
HOSTILE = "<img src=x onerror=alert(1)>\"'&"

RUN_FIGURES = [figure for figure in ALL_FIGURES if figure.name != "first_layer"]
"""Those of a run without a first layer."""


class Checker(HTMLParser):
    """Balanced tags, the addresses that are referred to, pictures, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.seen: list[str] = []
        self.attributes: list[str] = []
        self.ids: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        found = dict(attrs)
        self.attributes += list(found)
        self.addresses += [found[key] or "" for key in ("src", "href") if key in found]
        if "id" in found:
            self.ids.append(found["id"] or "")
        if tag == "img":
            self.images.append(found)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data


def check(path: Path) -> Checker:
    content = path.read_text("utf-8")
    checker = Checker()
    checker.feed(content)
    checker.close()
    assert checker.open == []
    assert content.startswith("<!DOCTYPE html>")
    assert '<html lang="en">' in content
    assert "script" not in checker.seen
    assert not [name for name in checker.attributes if name.startswith("on")]
    for address in checker.addresses:
        assert address.startswith(("data:image/", "#"))
        if address.startswith("#"):
            assert address[1:] in checker.ids
    assert "url(" not in content
    assert "@import" not in content
    assert all(image["alt"] for image in checker.images)
    return checker


def words(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text))


def test_a_run_without_links_does_not_speak_of_them(run_maker: Maker) -> None:
    checker = check(write_report(run_maker(links=False)))
    assert len(checker.images) == 9
    assert "Which neurons are associated" not in checker.words


def test_finished_run(run_maker: Maker) -> None:
    folder = run_maker(twin=True, neurons=400)
    path = write_report(folder)
    assert path == folder / "report.html"
    checker = check(path)
    results = read_results(folder)
    assert len(checker.images) == len(RUN_FIGURES) == 10
    assert checker.seen.count("figcaption") == checker.seen.count("h3") == 10
    for title in ("Accuracy as tasks are added", "Accuracy matrix R", "Who owns the neurons"):
        assert title in checker.words
    assert "the distance to it at the right end is the price" in words(checker.words)
    assert "100 of 400 neurons, evenly spaced" in checker.words
    for measure in MEASURES:
        assert measure.label in checker.words
        assert measure.meaning in checker.words
        assert measure.shown(results) in checker.words
    for task in results.task_names:
        assert task in checker.words
    record = results.document
    assert f"{100 * record['summary']['accuracy']:.2f}\u00a0%" in checker.words
    assert "lethenet==" not in path.read_text("utf-8")  # nothing that nobody has published
    for part in ("lethenet run --dataset mnist", "3.11.9", "made up", "1 min 2 s", "tau_mem"):
        assert part in checker.words
    assert "Unfinished" not in checker.words


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"status": "interrupted", "tasks_done": 4}, "was stopped before its end"),
        ({"status": "running", "tasks_done": 4}, "was still going on"),
        ({"status": "running", "tasks_done": 0}, "no task has been finished yet"),
        ({"image_shape": None, "classes": [0, 1]}, "samples of 64 features"),
        ({"classes": [7]}, "a single task (7)"),
        ({"order": "interleaved"}, "all classes mixed"),
        ({"keep_weights": "none", "classes": [0, 1]}, "cannot be drawn: the run kept no weights"),
        ({"epochs": 5, "classes": [0, 1]}, "was shown 5 times"),
    ],
)
def test_other_runs(run_maker: Maker, options: dict[str, Any], part: str) -> None:
    assert part in check(write_report(run_maker(**options))).words


def test_unfinished_run_says_how_to_go_on(run_maker: Maker) -> None:
    folder = run_maker("a run", status="interrupted", tasks_done=2)
    checker = check(write_report(folder))
    assert f"lethenet resume '{folder}'" in checker.words
    last = read_results(folder).last["test_accuracy"]
    assert f"{100 * last:.2f}\u00a0%" in checker.words


def test_hostile_names_are_escaped(run_maker: Maker) -> None:
    folder = run_maker(dataset=HOSTILE, classes=[0, 1], names=[HOSTILE, "\x00</title>"])
    path = folder / "run.json"
    record = json.loads(path.read_text("utf-8"))
    record["machine"] = {HOSTILE: HOSTILE}
    record["command"] = [HOSTILE]
    record["config"]["parameters"][HOSTILE] = HOSTILE
    record["lethenet"] = HOSTILE
    path.write_text(json.dumps(record), "utf-8")
    checker = check(write_report(folder))
    assert len(checker.images) == 10
    assert "onerror" not in checker.attributes
    assert HOSTILE in checker.words
    assert len(check(write_comparison([folder, folder], folder)).images) == 2


def test_report_is_refused_for_foreign_folders(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a run directory"):
        write_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_old_report_is_replaced_and_nothing_else_is_left(run_maker: Maker) -> None:
    folder = run_maker(classes=[0, 1])
    (folder / "report.html").write_text("old")
    before = {path.name for path in folder.iterdir()}
    first = write_report(folder).read_bytes()
    assert {path.name for path in folder.iterdir()} == before | {"figures"}
    assert write_report(folder).read_bytes() == first


def test_page_and_files_show_the_same_drawings(run_maker: Maker) -> None:
    folder = run_maker(classes=[0, 1])
    images = check(write_report(folder)).images
    files = sorted((folder / "figures").iterdir())
    assert len(images) == 10
    assert [path.name for path in files] == sorted(
        f"{figure.name}.{kind}" for figure in RUN_FIGURES for kind in ("png", "svg")
    )
    for image, figure in zip(images, RUN_FIGURES, strict=True):
        inside = base64.b64decode((image["src"] or "").partition(",")[2])
        file = (folder / "figures" / f"{figure.name}.svg").read_bytes()
        start = file.index(b"<defs>")
        assert inside.endswith(file[start:])


def plug(monkeypatch: pytest.MonkeyPatch, section: Callable[[Any], Any]) -> None:
    class Plug:
        value = "somebody:section"

        def load(self) -> Callable[[Any], Any]:
            return section

    monkeypatch.setattr(run_report, "entry_points", lambda group: [Plug()])


def test_sections_of_other_packages(run_maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_maker(classes=[0, 1])
    plug(monkeypatch, lambda results: ("more", "More <b>", Markup("<em>marked up</em>")))
    content = write_report(folder).read_text("utf-8")
    assert "More <b>" in check(folder / "report.html").words
    assert '<h2 id="more">' in content
    assert "<em>marked up</em>" in content
    plug(monkeypatch, lambda results: ("more", "More", "<em>plain text</em>"))
    assert "<em>plain text</em>" in check(write_report(folder)).words  # escaped, so it is text
    plug(monkeypatch, lambda results: ("more", "More", None))
    assert 'id="more"' not in write_report(folder).read_text("utf-8")


def test_a_broken_section_of_another_package_costs_that_section_only(
    run_maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_maker(classes=[0, 1])
    plug(monkeypatch, lambda results: results.nonsense)
    with pytest.warns(UserWarning, match="No section from 'somebody:section': AttributeError"):
        assert len(check(write_report(folder)).images) == 10


def test_another_package_extends_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "guest_of_lethenet"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "templates" / "guest.html").write_text(
        '{% extends "page.html" %}{% block main %}<p>{{ text }} {{ 0.5|percent }}</p>{% endblock %}'
    )
    (package / "templates" / "guest.md").write_text("{{ text }}")
    monkeypatch.syspath_prepend(tmp_path)
    page = render("guest.html", package="guest_of_lethenet", text=HOSTILE + "\x00")
    assert page.startswith("<!DOCTYPE html>")
    assert "<p>&lt;img src=x" in page
    assert "\x00" not in page
    assert "50.00\u00a0%" in page
    assert render("guest.md", package="guest_of_lethenet", text="a < b") == "a < b"


def test_show(run_maker: Maker) -> None:
    folder = run_maker(classes=[0, 1])
    shown = show(folder, height=300)
    html = shown._repr_html_()
    assert html.startswith("<iframe")
    assert "height: 300px" in html
    assert 'sandbox=""' in html
    inner = html.split('srcdoc="', 1)[1].split('"', 1)[0]
    assert unescape(inner) == write_report(folder).read_text("utf-8")
    assert "mnist, 60 neurons" in repr(shown)
    with pytest.raises(ValueError, match="does not exist"):
        show(folder / "nothing")


def test_comparison(run_maker: Maker, tmp_path: Path) -> None:
    first = run_maker("first", accuracy=0.8)
    second = run_maker("second", accuracy=0.95, threshold=14.0, seed=3, twin=True)
    out = write_comparison([first, second], tmp_path / "both.html")
    assert out == tmp_path / "both.html"
    checker = check(out)
    assert len(checker.images) == 2
    for part in ("first", "second", "threshold", "13.5", "14"):
        assert part in checker.words
    for measure in MEASURES:
        assert measure.label in checker.words
        for folder in (first, second):
            assert measure.shown(read_results(folder)) in checker.words
    content = out.read_text("utf-8")
    best = read_results(second).summary["accuracy"]
    assert f"<strong>{100 * best:.2f}\u00a0%</strong>" in content
    assert "tau_mem" not in content  # the same in both


def test_comparison_of_runs_that_differ_in_everything(run_maker: Maker, tmp_path: Path) -> None:
    folders = [
        run_maker("a/run", classes=[0, 1, 2]),
        run_maker("b/run", order="interleaved"),
        run_maker("c", status="interrupted", tasks_done=2, dataset="digits"),
        run_maker("d", status="running", tasks_done=0),
    ]
    checker = check(write_comparison(folders, tmp_path))
    assert "Unfinished" in checker.words
    assert "a/run" in checker.words
    assert "b/run" in checker.words


def test_compared_figures_draw_the_record(run_maker: Maker) -> None:
    from lethenet.report import figures

    runs = {
        "one": read_results(run_maker("one")),
        "two": read_results(run_maker("two", seed=5)),
        "mixed": read_results(run_maker("mixed", order="interleaved")),
    }
    lines = figures.compared_accuracy_over_tasks(runs).axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["one", "two", "mixed (a single task)"]
    for line, run in zip(lines, runs.values(), strict=True):
        assert line.get_ydata()[-1] == 100 * run.last["test_accuracy"]
    marks = figures.compared_accuracy_per_class(runs).axes[0].get_lines()[:3]
    for mark, run in zip(marks, runs.values(), strict=True):
        expected = [100 * run.last["class_accuracy"][c] for c in run.classes]
        assert list(mark.get_ydata()) == expected


def test_comparison_needs_two(finished_run: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 run given: a comparison needs at least two"):
        write_comparison([finished_run], tmp_path)
