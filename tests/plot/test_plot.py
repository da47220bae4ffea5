"""Pictures of models and recordings: what they show is what there is."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.animation import FFMpegWriter
from PIL import Image
from sklearn.datasets import load_digits

from lethenet import (
    ControlledForgettingClassifier,
    ControlledForgettingNetwork,
    NoveltyDetector,
    make_pipeline,
    plot,
)
from lethenet.layers import Edges
from lethenet.report.pictures import rendered
from lethenet.report.style import new_figure

X, y = load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def model():
    order = np.argsort(y[:300], kind="stable")
    made = ControlledForgettingClassifier(n_neurons=30, threshold=15.5, random_state=0, links=4)
    return made.fit(X[order], y[order])


@pytest.fixture(scope="module")
def recordings(model):
    """One that recognises, and one in which a neuron is imprinted after a natural spike."""
    learner = ControlledForgettingClassifier(n_neurons=30, threshold=15.5, random_state=0)
    learner.partial_fit(X[:60], y[:60])
    learned = (learner.record(x, learn=True) for x in X[60:])
    return model.record(X[300]), next(r for r in learned if len(r.winners) > 1 and r.forced.any())


@pytest.fixture
def ax():
    return new_figure(6, 4).add_subplot()


def labelled(ax):
    return dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))


def test_weights_are_drawn_with_their_classes(model, ax):
    assert plot.weights(model, ax=ax) is ax
    sheet = ax.images[0].get_array()
    np.testing.assert_allclose(sheet[:8, :8], model.weights_[0].reshape(8, 8), rtol=1e-6)
    known = model.decision_inputs()[0]  # with what links add
    assert known.any(axis=1).all()
    names = [text.get_text() for text in ax.texts]
    assert names == [str(model.classes_[row.argmax()]) for row in known]


def test_some_weights_images_of_a_shape_and_rows(model, ax):
    plot.weights(model, neurons=[7, 2], image_shape=(4, 16), ax=ax)
    np.testing.assert_allclose(
        ax.images[0].get_array()[:4, :16], model.weights_[7].reshape(4, 16), rtol=1e-6
    )
    with pytest.raises(ValueError, match="from 0 to 29"):
        plot.weights(model, neurons=[30], ax=ax)
    with pytest.raises(ValueError, match="is for 9 features"):
        plot.weights(model, image_shape=(3, 3), ax=ax)
    rows = new_figure(4, 4).add_subplot()
    plot.weights(ControlledForgettingNetwork(n_neurons=8, random_state=0).fit(X[:9, :30]), ax=rows)
    assert rows.images[0].get_array().shape == (8, 30)


def test_behind_a_first_layer_neurons_are_images_again(ax):
    network = ControlledForgettingNetwork(n_neurons=9, threshold=14.0, random_state=0)
    learner = make_pipeline(Edges(image_shape=(8, 8)), network).partial_fit(X[:40])
    plot.weights(learner, ax=ax)
    seen = learner[:-1].inverse_transform(learner[-1].weights_)
    expected = (seen / np.linalg.norm(seen, axis=1, keepdims=True))[0].reshape(8, 8)
    np.testing.assert_allclose(ax.images[0].get_array()[:8, :8], expected, rtol=1e-6)


def test_usage_and_links(model, ax):
    plot.usage(model, ax=ax)
    drawn = ax.lines[0].get_ydata()
    np.testing.assert_array_equal(drawn, np.sort(model.network_.state.usage))
    assert f"the least used: neuron {model.network_.state.usage.argmin()}" in labelled(ax)
    linked = new_figure(5, 5).add_subplot()
    plot.links(model, ax=linked)
    assert set(labelled(linked)) <= {*map(str, range(10)), "no label"}
    unlinked = ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(X[:5])
    with pytest.raises(ValueError, match="no links"):
        plot.links(unlinked, ax=linked)


def test_raster_and_potentials(recordings, ax):
    recognised, learned = recordings
    plot.raster(learned, ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), learned.input_times)
    names = set(labelled(ax))
    assert names == {"input spike", "natural spike", "forced spike"}
    numbers = [text.get_text() for text in ax.texts]
    assert numbers == [str(winner) for winner in learned.winners]
    other = new_figure(6, 4).add_subplot()
    plot.potentials(recognised, ax=other)
    named = labelled(other)
    assert {f"neuron {w}" for w in recognised.winners[:4]} <= set(named)
    dopaminergic = named["dopaminergic, scaled"].get_ydata()
    assert dopaminergic.max() <= recognised.parameters.threshold * (1 + 1e-9)
    for figure in (ax.figure, other.figure):
        assert rendered(figure, "png").startswith(b"\x89PNG")


def test_a_race_ends_with_the_winner_in_front_unless_it_was_pushed(recordings, ax):
    recognised, learned = recordings
    plot.race(recognised, spike=0, ax=ax)
    last = ax.patches[-1].get_width()
    assert last >= recognised.parameters.threshold * (1 - 1e-6)
    assert ax.get_yticklabels()[-1].get_text() == str(recognised.winners[0])
    pushed = new_figure(6, 4).add_subplot()
    plot.race(learned, ax=pushed)
    assert pushed.get_title() == f"Neuron {learned.imprinted} was pushed"
    assert str(learned.imprinted) in [tick.get_text() for tick in pushed.get_yticklabels()]
    with pytest.raises(ValueError, match="spike=9"):
        plot.race(learned, spike=9)


def test_a_film_leaves_the_model_as_it_is(model, tmp_path):
    before = model.weights_.copy()
    fig = new_figure(3, 3).add_subplot()
    film = plot.animate(model, X[300:330], y[300:330], path=tmp_path / "film.gif", frames=3, ax=fig)
    with Image.open(film) as picture:
        assert picture.n_frames == 3
    np.testing.assert_array_equal(model.weights_, before)
    with pytest.raises(ValueError, match=r"\.gif"):
        plot.animate(model, X, path=tmp_path / "film.avi")


def test_a_film_for_players_of_videos(model, tmp_path, ax):
    if not FFMpegWriter.isAvailable():
        pytest.skip("no ffmpeg on PATH: apt-get install ffmpeg")
    film = plot.animate(model, X[300:330], path=tmp_path / "film.mp4", frames=3, ax=ax)
    assert film.read_bytes()[4:8] == b"ftyp"


def test_without_ffmpeg_it_is_said_what_to_do(model, tmp_path, monkeypatch):
    monkeypatch.setattr(FFMpegWriter, "isAvailable", lambda: False)
    with pytest.raises(ValueError, match=r"needs the program ffmpeg.*Install it.*\.gif"):
        plot.animate(model, X[:3], path=tmp_path / "film.mp4")
    assert list(tmp_path.iterdir()) == []


def test_notebooks_show_the_diagram_and_the_weights(model):
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "sk-top-container" in html  # scikit-learn's own diagram
        assert html.count("data:image/png") == 1
        assert "30 neurons have learned 300 samples" in html
        assert "Neurons per class: 0: " in html
    new = ControlledForgettingClassifier()._repr_html_()
    assert "sk-top-container" in new
    assert "data:image/png" not in new


def test_names_from_outside_are_escaped():
    hostile = ControlledForgettingClassifier(n_neurons=4, random_state=0)
    html = hostile.fit(X[:4], ["<script>alert(1)</script>", "b", "b", "$x_{"])._repr_html_()
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize("what", [3, ControlledForgettingNetwork()])
def test_what_cannot_be_drawn(what, ax):
    with pytest.raises(TypeError, match="cannot be drawn: expected an estimator"):
        plot.weights(what, ax=ax)


def test_no_global_state(model, ax):
    before = dict(mpl.rcParams)
    plot.weights(model, ax=ax)
    assert dict(mpl.rcParams) == before


def test_importing_is_light():
    program = "import sys; from lethenet import plot; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "lethenet.plot" in done.stdout.split()
    assert not {"matplotlib", "numba", "sklearn"} & set(done.stdout.split())


def test_without_matplotlib_words_are_left(model, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    html = model._repr_html_()
    assert "30 neurons have learned 300 samples" in html
    assert "data:image/png" not in html
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.weights(model)


def test_signed_data_is_drawn_as_it_came(ax):
    detector = NoveltyDetector(n_neurons=4, threshold=15.5, random_state=0).fit(X[:20])
    plot.weights(detector, ax=ax)
    assert ax.images[0].get_array().shape == (2 * 13, 2 * 13)
