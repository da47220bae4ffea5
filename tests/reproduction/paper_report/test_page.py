"""The report and its figures, from made-up results at the paper's scale."""

import json
import re

import pytest
from lethenet_reproduction.paper.visual import visual_config
from lethenet_reproduction.paper_report import (
    course_tables,
    figures_visual,
    read_findings,
    write_reproduction,
)
from lethenet_reproduction.paper_report.gallery import FIGURES
from lethenet_reproduction.paper_report.page import readme, report_html

from lethenet.lifelong.results import read_results
from lethenet.report.figures.weight_grid import fates

pytest.importorskip("matplotlib")
DRAWN = {entry.name: entry for entry in FIGURES}


@pytest.fixture(scope="module")
def found(complete, paper_scale):
    return read_findings(paper_scale, complete)


@pytest.fixture(scope="module")
def page(complete, paper_scale):
    return write_reproduction(paper_scale, complete).read_text("utf-8")


def test_every_section_has_its_figure_and_its_command(page):
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert len(headings) == 12
    assert page.count("<img ") == len(FIGURES) - 1  # no run directory here
    assert "Its results are missing. Make them with" in page
    for stage in ("fit", "table1", "final", "precision", "visual", "kmeans", "oja"):
        assert f"lethenet reproduce --only {stage} --out" in page
    assert "Scale “paper”: this only tries" not in page
    assert "http-equiv" in page
    assert "<script" not in page


def test_files_beside_the_report(complete, page):
    figures = {path.name for path in (complete / "figures").iterdir()}
    wanted = {f"{name}.{kind}" for name in DRAWN for kind in ("png", "svg")}
    assert figures == wanted - {"100_visual.png", "100_visual.svg"}
    readme = (complete / "README.md").read_text()
    for name in re.findall(r"\]\((.*?)\)", readme):
        assert (complete / name).exists()
    table = [line for line in readme.splitlines() if re.match(r"\| \d+ \| 1[34].*\u00a0/", line)]
    assert len(table) == 28


def test_table_1_draws_ours_and_the_papers_for_every_size(found):
    figure = DRAWN["table_1"].draw(found)
    panels = [ax for ax in figure.axes if ax.lines]
    assert [ax.get_title(loc="left")[3:] for ax in panels] == [
        f"{n} neurons" for n in found.scale.sizes
    ]
    for ax in panels:
        assert len(ax.lines) == 4 * 3 + 2  # four thresholds, and two rings


def test_missing_sizes_are_left_out_of_the_figures(thinned, paper_scale):
    folder = thinned("final.jsonl", lambda r: r["config"]["neurons"] == 900)
    found = read_findings(paper_scale, folder)
    assert [size.point.neurons for size in found.final] == [900]
    assert not DRAWN["per_digit_final"].there(found)
    course = DRAWN["acc_deg_test"].draw(found)
    assert [line.get_label() for line in course.axes[0].lines] == ["900"]
    panels = DRAWN["acc_per_digit"].draw(found).axes
    assert [len(ax.lines) for ax in panels[:7]] == [0, 10, 0, 0, 0, 0, 0]
    penalties = DRAWN["final_total_comparison"].draw(found).axes[1]
    assert len(penalties.patches) == 1
    assert sum(text.get_text() == "missing" for text in penalties.texts) == 6


def test_the_potential_axis_is_the_dot_product_times_the_time_constant(found):
    figure = DRAWN["kmeans"].draw(found)
    figure.draw_without_rendering()
    (ax,) = [ax for ax in figure.axes if ax.lines]
    (right,) = ax.child_axes
    assert right.get_ylim() == pytest.approx([15 * y for y in ax.get_ylim()])


def test_the_table_of_the_weights_follows_the_run(run_maker, tmp_path, paper_scale):
    folder = run_maker("100_visual", classes=[0, 1, 2, 3], neurons=100)
    assert read_findings(paper_scale, tmp_path).visual is None  # other settings than the scale's
    record = json.loads((folder / "run.json").read_text())
    record["config"] = visual_config(paper_scale).to_json()
    (folder / "run.json").write_text(json.dumps(record))
    found = read_findings(paper_scale, tmp_path)
    results = found.visual
    kept = [int((fates(results, number) == 0).sum()) for number in (1, 2, 3)]
    rows = course_tables.weights_table(found).rows
    assert [row[:2] for row in rows] == [
        [str(n), str(k)] for n, k in zip((1, 2, 3), kept, strict=True)
    ]
    # make_run leaves preserved weights as they are
    assert [row[-2:] for row in rows] == [["1.000", "1.000"]] * 3
    figure = DRAWN["100_visual"].draw(found)
    titles = [ax.get_title(loc="left").strip() for ax in figure.axes]
    assert titles == [f"({'ABCD'[digit]}) After digit {digit}" for digit in range(4)]


def test_weights_are_outlined_by_what_they_answer_to(run_maker):
    """As often as the mean neuron: generalised; a quarter of that: an outlier; between: neither."""
    results = read_results(run_maker(classes=[0, 1], neurons=6))
    results.arrays["imprinted_in_task"][1] = [0, 3, 1, 1, 1, 0]
    results.arrays["label_counts"][0] = [[5, 0]] * 5 + [[0, 0]]
    # mean 10
    results.arrays["label_counts"][1] = [[30, 0], [0, 10], [0, 2], [0, 9], [9, 0], [0, 0]]
    found = figures_visual.examples(results, 1)
    names = [figures_visual.OUTLINES[place].name if place >= 0 else None for place in found]
    assert names == ["preserved", "generalised", "outlier", None, None, None]


def test_results_of_several_networks_are_told(thinned, paper_scale, page):
    assert "Not of one network" not in page
    folder = thinned("table1.jsonl", lambda record: True)
    path = folder / "table1.jsonl"
    path.write_text(path.read_text().replace('"0123456789abcdef"', '"an older one"', 1))
    text = report_html(read_findings(paper_scale, folder), {})
    assert "Not of one network" in text
    assert "(0123456789abcdef, an older one)" in text


def test_what_somebody_wrote_stands_in_its_section(thinned, paper_scale):
    folder = thinned("table1.jsonl", lambda record: True)
    text = "# Title\n\nOn a day.\n\n## Stability of STDP\n\nIt stays, 1 < 2.\n\nAnd so on.\n"
    (folder / "DISCUSSION.md").write_text(text)
    found = read_findings(paper_scale, folder)
    page = report_html(found, {})
    assert page.index('id="oja"') < page.index("<p>It stays, 1 &lt; 2.</p>")
    assert "<p>And so on.</p>" in page
    assert "It stays, 1 < 2.\n\nAnd so on." in readme(found, {})


def test_a_figure_without_its_headings(finished_run):
    from lethenet_reproduction.paper_report.panels import without_headings

    from lethenet.lifelong import read_results
    from lethenet.report import figures
    from lethenet.report.style import STRIP

    figure = figures.weight_grid(read_results(finished_run))
    height = figure.get_figheight()
    assert without_headings(figure).get_figheight() == pytest.approx(height - STRIP)
    assert not any(text.get_visible() for text in figure.texts)
