"""Every figure: labelled, and what is drawn is what run.json says."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from lethenet.report import all_figures, figures, read_results, write_figures
from lethenet.report.figures.links_map import layout
from lethenet.report.figures.weight_grid import FATES, fates, shown_evaluations
from lethenet.report.pictures import Drawing, rendered
from lethenet.report.run_figures import RUN_FIGURES
from lethenet.report.style import STRIP

Maker = Callable[..., Path]
NAMES = {
    "accuracy_over_tasks",
    "accuracy_per_class",
    "accuracy_per_task",
    "false_positives",
    "accuracy_matrix",
    "confusion_matrix",
    "weights",
    "dopaminergic_activity",
    "neurons_per_class",
    "links_map",
}


def lines_of(figure: Any) -> dict[str, Any]:
    """The lines that stand in a legend or at a label, by name; helpers start with an underscore."""
    lines = figure.axes[0].get_lines()
    return {line.get_label(): line for line in lines if not line.get_label().startswith("_")}


def squares(patch: Any) -> int:
    """How many squares one path of outlines has."""
    return len(patch.get_path().to_polygons())


def test_all_figures_of_a_finished_run(finished_run: Path) -> None:
    found = all_figures(finished_run)
    assert set(found) == NAMES == {figure.name for figure in RUN_FIGURES} - {"first_layer"}
    for name, figure in found.items():
        axes = figure.axes[0]
        assert figure.get_suptitle(), name
        assert "mnist, 60 neurons" in figure.texts[-1].get_text()
        if name not in ("weights", "links_map"):
            assert axes.get_xlabel(), name
            assert axes.get_ylabel(), name


def test_accuracy_over_tasks(finished_run: Path) -> None:
    results = read_results(finished_run)
    figure = figures.accuracy_over_tasks(results)
    lines = lines_of(figure)
    keys = {
        "test, hard votes": "test_accuracy",
        "test, histogram votes": "test_accuracy_histogram",
        "training, hard votes": "train_accuracy",
    }
    assert set(lines) == {*keys, "interleaved twin, at its end"}
    for label, key in keys.items():
        drawn = lines[label].get_ydata()
        np.testing.assert_allclose(drawn, [100 * e[key] for e in results.evaluations])
        np.testing.assert_array_equal(lines[label].get_xdata(), np.arange(1, 11))
    assert results.twin is not None
    level = 100 * results.twin.last["test_accuracy"]
    np.testing.assert_allclose(lines["interleaved twin, at its end"].get_ydata(), level)
    ticks = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert ticks == results.task_names


def test_histogram_run_does_not_claim_hard_votes(run_maker: Maker) -> None:
    lines = lines_of(figures.accuracy_over_tasks(read_results(run_maker(readout="histogram"))))
    assert set(lines) == {"test, histogram votes", "training, histogram votes"}


@pytest.mark.parametrize("twin", [True, False])
def test_accuracy_per_class(run_maker: Maker, twin: bool) -> None:
    results = read_results(run_maker(twin=twin))
    lines = lines_of(figures.accuracy_per_class(results))
    mine = [100 * results.last["class_accuracy"][c] for c in results.classes]
    np.testing.assert_allclose(lines["this run, tasks in turn"].get_ydata(), mine)
    assert ("interleaved twin, at its end" in lines) is twin
    if twin:
        assert results.twin is not None
        other = [100 * results.twin.last["class_accuracy"][c] for c in results.classes]
        np.testing.assert_allclose(lines["interleaved twin, at its end"].get_ydata(), other)


def test_accuracy_per_task(finished_run: Path) -> None:
    results = read_results(finished_run)
    lines = lines_of(figures.accuracy_per_task(results))
    assert list(lines) == results.task_names
    for column, line in enumerate(lines.values()):
        np.testing.assert_allclose(line.get_ydata(), 100 * results.accuracy_matrix[:, column])
    looks = {(line.get_color(), line.get_marker()) for line in lines.values()}
    assert len(looks) == 10


def test_false_positives(finished_run: Path) -> None:
    results = read_results(finished_run)
    lines = lines_of(figures.false_positives(results))
    assert list(lines) == results.classes
    for label, line in lines.items():
        expected = [e["false_positives"].get(label, np.nan) for e in results.evaluations]
        np.testing.assert_allclose(line.get_ydata(), np.array(expected, float))


def test_accuracy_matrix(finished_run: Path) -> None:
    results = read_results(finished_run)
    axes = figures.accuracy_matrix(results).axes[0]
    drawn = axes.get_images()[0].get_array()
    np.testing.assert_allclose(drawn.filled(np.nan), 100 * results.accuracy_matrix)
    texts = [text.get_text() for text in axes.texts]
    assert [f"{100 * value:.1f}" in texts for value in results.accuracy_matrix[-1]] == [True] * 10
    hatched = [c for c in axes.collections if c.get_hatch()]
    assert len(hatched) == 1
    assert len(hatched[0].get_paths()) == 45


def test_confusion_matrix(finished_run: Path) -> None:
    results = read_results(finished_run)
    counts = results.arrays["confusion"][-1]
    axes = figures.confusion_matrix(results).axes[0]
    shares = axes.get_images()[0].get_array()
    np.testing.assert_allclose(shares, 100 * counts / counts.sum(axis=1, keepdims=True))
    written = {tuple(map(int, t.get_position())): t.get_text() for t in axes.texts}
    assert written[(0, 0)] == str(counts[0, 0])
    assert written[(3, 1)] == (str(counts[1, 3]) if counts[1, 3] else "·")


def test_weights(finished_run: Path) -> None:
    results = read_results(finished_run)
    figure = figures.weight_grid(results)
    panels = [axes for axes in figure.axes if axes.get_images()]
    assert len(panels) == 10
    for number, axes in enumerate(panels):
        sheet = axes.get_images()[0].get_array()
        np.testing.assert_allclose(sheet[:8, :8].ravel(), results.arrays["weights"][number, 0])
        outlined = {patch.get_label(): squares(patch) for patch in axes.patches}
        evaluation = results.evaluations[number]
        assert outlined == {fate.name: evaluation[f"neurons_{fate.name}"] for fate in FATES}
    dashes = {str(patch.get_linestyle()) for patch in panels[2].patches}
    colours = {patch.get_edgecolor() for patch in panels[2].patches}
    assert len(dashes) == len(colours) == 3


def test_fates_agree_with_the_record(finished_run: Path) -> None:
    results = read_results(finished_run)
    for number, evaluation in enumerate(results.evaluations):
        found = fates(results, number)
        for place, fate in enumerate(FATES):
            assert (found == place).sum() == evaluation[f"neurons_{fate.name}"]


def test_weights_without_images(run_maker: Maker) -> None:
    results = read_results(run_maker(image_shape=None, features=30, classes=[0, 1, 2]))
    axes = figures.weight_grid(results).axes[0]
    np.testing.assert_allclose(axes.get_images()[0].get_array(), results.arrays["weights"][0])
    marked = {line.get_label(): len(line.get_ydata()) for line in axes.get_lines()}
    assert marked["new"] == results.evaluations[0]["neurons_new"]


def test_weights_in_colour(run_maker: Maker) -> None:
    results = read_results(run_maker(image_shape=[4, 4, 3], features=48, classes=[0, 1]))
    sheet = figures.weight_grid(results).axes[0].get_images()[0].get_array()
    grey = results.arrays["weights"][0, 0].reshape(4, 4, 3).mean(axis=2)
    np.testing.assert_allclose(sheet[:4, :4], grey, rtol=1e-6)


def test_large_run_shows_a_part_of_the_last_weights(run_maker: Maker) -> None:
    results = read_results(run_maker(neurons=500, keep_weights="last", classes=[0, 1, 2]))
    assert shown_evaluations(results) == [2]
    figure = figures.weight_grid(results)
    assert len([axes for axes in figure.axes if axes.get_images()]) == 1
    assert "100 of 500" in figure.get_suptitle()
    assert 0 < sum(map(squares, figure.axes[0].patches)) <= 100


def test_many_tasks_get_ten_panels(run_maker: Maker) -> None:
    results = read_results(run_maker(classes=list(range(26)), dataset="letters"))
    chosen = shown_evaluations(results)
    assert len(chosen) == 10
    assert (chosen[0], chosen[-1]) == (0, 25)
    assert set(all_figures(results)) == NAMES


def test_dopaminergic_activity(finished_run: Path) -> None:
    results = read_results(finished_run)
    axes = figures.dopaminergic_activity(results).axes[0]
    rates, *changes = axes.get_lines()
    np.testing.assert_array_equal(rates.get_ydata(), results.arrays["dopamine_windows"])
    np.testing.assert_array_equal(rates.get_xdata()[:2], [25, 75])
    ends = results.arrays["task_ends"][:-1]
    assert [line.get_xdata()[0] for line in changes] == ends.tolist()


def test_neurons_per_class(finished_run: Path) -> None:
    results = read_results(finished_run)
    axes = figures.neurons_per_class(results).axes[0]
    assert len(axes.containers) == 11
    for bars, label in zip(axes.containers, results.classes, strict=False):
        heights = [bar.get_height() for bar in bars]
        assert heights == [e["neurons_per_class"].get(label, 0) for e in results.evaluations]
    tops = [bar.get_y() + bar.get_height() for bar in axes.containers[-1]]
    assert tops == [60] * 10


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"classes": [3]}, set()),
        ({"order": "interleaved"}, set()),
        ({"status": "interrupted", "tasks_done": 3}, set()),
        ({"status": "running", "tasks_done": 1}, set()),
        ({"status": "running", "tasks_done": 0}, NAMES - {"dopaminergic_activity"}),
        ({"keep_weights": "none"}, {"weights"}),
        ({"accuracy": 0.0, "classes": [0, 1]}, set()),
    ],
)
def test_other_runs(run_maker: Maker, options: dict[str, Any], missing: set[str]) -> None:
    found = all_figures(run_maker(**options))
    assert set(found) == NAMES - missing
    for figure in found.values():
        assert rendered(figure, "svg").startswith(b"<?xml")


def test_hostile_names_can_be_drawn(run_maker: Maker) -> None:
    from xml.etree import ElementTree

    names = ["$\\frac{", "a\x00b--> \n", "<script>" * 9]
    for figure in all_figures(run_maker(classes=[0, 1, 2], names=names)).values():
        ElementTree.fromstring(rendered(figure, "svg"))


def test_linked_neurons_lie_together() -> None:
    strengths = np.zeros((20, 20))
    strengths[:10, :10] = strengths[10:, 10:] = 0.1  # two islands
    strengths[0, 10] = strengths[10, 0] = 0.01
    places = layout(strengths)
    islands = places[:10], places[10:]
    apart = np.linalg.norm(islands[0].mean(axis=0) - islands[1].mean(axis=0))
    assert apart > 2 * max(np.linalg.norm(p - p.mean(axis=0), axis=1).mean() for p in islands)
    np.testing.assert_array_equal(places, layout(strengths))


def test_nothing_measured_is_an_error(run_maker: Maker) -> None:
    results = read_results(run_maker(status="running", tasks_done=0))
    for figure in RUN_FIGURES:
        if figure.missing(results):
            with pytest.raises(ValueError, match="no task has been finished yet"):
                figure.draw(results)


def test_files_are_written_whole_and_alike(run_maker: Maker) -> None:
    folder = run_maker(classes=[0, 1])

    def digests() -> dict[str, str]:
        paths = write_figures(folder)
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}

    first = digests()
    assert set(first) == {f"{name}.{kind}" for name in NAMES for kind in ("png", "svg")}
    assert {path.name for path in (folder / "figures").iterdir()} == set(first)
    assert digests() == first


def test_a_figure_is_laid_out_and_rendered_once(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    calls: list[str] = []

    def counted(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def wrapper(*args: Any, **options: Any) -> Any:
            calls.append(name)
            return original(*args, **options)

        monkeypatch.setattr(owner, name, wrapper)

    counted(ConstrainedLayoutEngine, "execute")
    counted(Figure, "draw")
    drawing = Drawing(figures.accuracy_matrix(read_results(finished_run)))
    paths = drawing.write(tmp_path, "matrix")
    assert drawing.data_uri.startswith("data:image/svg+xml")
    assert sorted(calls) == ["draw", "draw", "execute"]
    assert [path.suffix for path in paths] == [".png", ".svg"]


def test_the_page_leaves_out_the_heading(finished_run: Path) -> None:
    import base64
    from xml.etree import ElementTree

    drawing = Drawing(figures.accuracy_matrix(read_results(finished_run)))
    inside = base64.b64decode(drawing.data_uri.partition(",")[2])
    whole, cut = (ElementTree.fromstring(svg) for svg in (drawing.content("svg"), inside))

    def height(svg: Any) -> float:
        return float(svg.get("height").removesuffix("pt"))

    assert height(whole) - height(cut) == pytest.approx(72 * STRIP, abs=0.01)
    assert cut.get("viewBox").split()[1] == f"{72 * STRIP:.3f}"
    assert len(inside) == pytest.approx(len(drawing.content("svg")), abs=40)


def test_no_global_state(finished_run: Path) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    all_figures(finished_run)
    assert dict(mpl.rcParams) == before


def test_import_is_light_and_a_missing_matplotlib_is_named(finished_run: Path) -> None:
    program = (
        "import sys, lethenet.report as report\n"
        "assert 'matplotlib' not in sys.modules and 'numba' not in sys.modules\n"
        "sys.modules['matplotlib'] = None\n"
        "for call in (report.all_figures, report.write_figures, report.write_report):\n"
        "    try:\n"
        "        call(sys.argv[1])\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(finished_run)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("pip install matplotlib") == 3
