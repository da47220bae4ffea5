"""The suggested threshold: usable on real data, and for the reasons it gives."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from lethenet.data import load
from lethenet.model import ANNEALED, PAPER, Network, initial_state
from lethenet.sweeps import Experiment, run_experiment
from lethenet.theory import auto_threshold, suggest_threshold
from lethenet.theory.threshold import explained_threshold


@pytest.fixture(scope="module")
def digits():
    return load("digits")


@pytest.fixture(scope="module")
def few(digits):
    """Few rows, and so few first passages to solve: what follows must hold for them, too."""
    return digits.X_train[:60]


@pytest.fixture(scope="module")
def suggested(few):
    return suggest_threshold(few, 30)


def test_accuracy_is_within_three_points_of_a_sweep(digits):
    """Networks are trained for it; the suggestion saw no labels and no network."""
    suggested = suggest_threshold(digits.X_train, 100)

    def accuracy(threshold):
        experiment = Experiment.of(
            dataset="digits", preset="paper", neurons=100, threshold=threshold
        )
        return run_experiment(experiment)["results"]["test_accuracy"]

    best = max(accuracy(threshold) for threshold in (14.5, 15.0, 15.5, 16.0))
    assert accuracy(suggested) > best - 0.03


def test_more_neurons_want_a_higher_threshold(few, suggested):
    """Paper: "Smaller networks require … generally … slightly lower thresholds"."""
    assert suggest_threshold(few, 8) < suggested
    assert suggested < suggest_threshold(few, 5000), "more neurons than samples"


def test_it_follows_the_membrane(few, suggested):
    """Half the time constant: about half the potentials."""
    short = replace(PAPER, tau_mem=7.5)
    threshold = suggest_threshold(few, 30, parameters=short)
    assert 0.5 * suggested < threshold < 0.65 * suggested


def test_a_larger_share_recognised_means_a_lower_threshold(few, suggested):
    assert suggest_threshold(few, 30, recognised=0.95) < suggested


def test_scale_and_type_do_not_matter(few, suggested):
    assert suggest_threshold(few.astype(np.float64) * 1e200, 30) == suggested
    assert suggest_threshold(few.tolist(), 30) == suggested


def test_untrained_neurons_stay_silent():
    """Scattered samples want a low threshold, at which untrained neurons would answer to everything."""
    rng = np.random.default_rng(0)
    X = 1.0 + rng.random((600, 12)) * (rng.random((600, 12)) < 0.5) * 12
    careless = suggest_threshold(X[300:380], 3, untrained=0.999)
    careful = suggest_threshold(X[300:380], 3)
    assert careful > careless + 0.3
    for threshold, few in ((careless, False), (careful, True)):
        state = initial_state(3, 12, seed=0)
        weights = state.weights.copy()
        frozen = replace(PAPER, threshold=threshold, learning_rate=0.0, imprint_rate=0.0)
        answered = Network(frozen, state).learn(X[:300]).winners[:, 0]
        imprinted = Network(replace(frozen, n_output_spikes=1), state).learn(X[:300]).imprints
        np.testing.assert_allclose(state.weights, weights, atol=1e-6)
        assert (answered >= 0).all(), "dopamine answers where nobody else does"
        # 5 % on average over samples by theory for the nearest of the three; all three may answer
        assert bool((imprinted < 0).mean() < 0.15) is few


def test_blank_rows_are_passed_over(few, suggested):
    X = np.zeros((2 * len(few), few.shape[1]))
    X[1::2] = few
    assert suggest_threshold(X, 30) == suggested


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.coo_array, sparse.lil_matrix])
def test_sparse_rows(few, suggested, kind):
    X = np.zeros((len(few) + 3, few.shape[1]))
    X[3:] = few
    given = kind(X)
    if kind is sparse.csr_matrix:  # a stored zero is a zero
        given = sparse.csr_matrix(X + 1)
        given.data -= 1
    assert suggest_threshold(given, 30) == suggested


@pytest.mark.parametrize(
    ("X", "arguments", "message"),
    [
        (np.ones(5), {}, r"shape \(5,\)"),
        (-np.ones((5, 3)), {}, "spike rates"),
        (np.full((5, 3), np.nan), {}, "finite"),
        (np.zeros((5, 3)), {}, "not blank"),
        (sparse.csr_matrix((5, 3)), {}, "not blank"),
        (-sparse.eye(5), {}, "spike rates"),
        (np.ones((5, 3)), {"n_neurons": 0}, "n_neurons=0"),
        (np.ones((5, 3)), {"recognised": 1.0}, "recognised=1.0"),
        (np.ones((5, 3)), {"untrained": -0.1}, "untrained=-0.1"),
    ],
)
def test_errors(X, arguments, message):
    with pytest.raises(ValueError, match=message):
        suggest_threshold(X, **{"n_neurons": 2, **arguments})


@pytest.fixture(scope="module")
def hundred(digits):
    return digits.X_train[:100]


def test_auto_takes_its_share(hundred):
    found = explained_threshold(hundred, 50, curve=True)
    assert found.threshold == auto_threshold(hundred, 50)
    assert found.reason == "trained neurons would recognise 95 % of the samples"
    shares = [share for _, share in found.curve]
    assert shares == sorted(shares, reverse=True)
    assert dict(found.curve)[found.threshold] == pytest.approx(0.95, abs=0.01)


def test_few_rows_that_are_all_there_is_may_fill_the_layer(hundred):
    """10 neurons may take 40 of 100 rows; a stream that these begin may be of any length."""
    found = explained_threshold(hundred, 10, complete=True, curve=True)
    assert found.reason.startswith("trained neurons would recognise 60 % of the samples, of which")
    assert dict(found.curve)[found.threshold] == pytest.approx(0.6, abs=0.01)
    assert found.threshold == auto_threshold(hundred, 10, complete=True)
    assert found.threshold > auto_threshold(hundred, 10) + 0.2
    assert auto_threshold(hundred, 1, complete=True) == auto_threshold(hundred, 1)


def test_rows_that_resemble_nothing_do_not_pull_it_down(hundred):
    """A fifth of the rows are of other pixels each: a share of 95 % would take what recognises anything."""
    X = np.hstack([hundred, np.zeros((100, 400))])
    strange = np.arange(0, 100, 5)
    X[strange] = 0
    for place, row in enumerate(strange):
        X[row, 64 + 20 * place : 84 + 20 * place] = 9
    low = suggest_threshold(X, 50, recognised=0.95, untrained=0.999)
    found = explained_threshold(X, 50)
    assert found.threshold > 1.3 * low
    assert "half of the samples" in found.reason


def test_complete_texts_may_lie_below_most_of_the_threshold_for_half():
    """Words of 15 topics, and of all: where a stream's threshold is, few would be recognised."""
    rng = np.random.default_rng(0)
    topic = rng.integers(15, size=800)
    own = rng.random((800, 150)) < np.where(np.arange(150) // 10 == topic[:, None], 0.35, 0.01)
    X = np.hstack([own, rng.random((800, 400)) < 0.03]).astype(float)
    stream, complete = (explained_threshold(X, 15, complete=c) for c in (False, True))
    assert "0.93 times the one" in stream.reason
    assert complete.threshold < stream.threshold - 0.1
    half = suggest_threshold(X, 15, recognised=0.5, untrained=0.999)
    assert complete.threshold >= 0.6 * half - 0.02


def test_untrained_neurons_limit_only_constant_rates(hundred):
    """Shifted data look like untrained neurons: an annealed one takes on what it answers to."""
    X = hundred + 16.0
    annealed, constant = (auto_threshold(X, 50, parameters=p) for p in (ANNEALED, PAPER))
    assert annealed < 16.5
    assert constant > annealed
    assert explained_threshold(X, 50, parameters=PAPER).reason.startswith("untrained neurons")


def test_auto_wants_a_hundred_rows(hundred):
    X = hundred.copy()
    X[7] = 0
    with pytest.raises(ValueError, match="99 rows of X that are not blank: expected at least 100"):
        auto_threshold(X, 50)


def test_rows_that_have_nothing_in_common():
    with pytest.raises(ValueError, match="nothing in common with any other"):
        auto_threshold(np.eye(120), 50)
