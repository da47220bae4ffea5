"""Links between neurons: what strengthens, replaces and ends them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from lethenet.engine import links as compiled
from lethenet.model import ANNEALED, Network, Parameters, initial_state
from lethenet.model.links import check_links, link_winners


def tables(n_neurons, room):
    return np.full((n_neurons, room), -1, np.int32), np.zeros((n_neurons, room), np.int32)


def counts_of(partners, counts):
    """All links as {pair: count}."""
    found = {}
    for i, row in enumerate(partners.tolist()):
        for place, j in enumerate(row):
            if j >= 0:
                found[min(i, j), max(i, j)] = int(counts[i, place])
    return found


def test_every_pair_of_spikes_counts_but_a_neuron_not_with_itself():
    partners, counts = tables(4, 3)
    link_winners(partners, counts, [0, 0, 1, 3, 1], 5, -1)
    assert counts_of(partners, counts) == {(0, 1): 4, (0, 3): 2, (1, 3): 2}


def test_an_imprint_ends_its_neurons_links_and_begins_new_ones():
    partners, counts = tables(4, 3)
    link_winners(partners, counts, [0, 1, 2], 3, -1)
    # neuron 1 fired as what it was, then was imprinted: only the second counts
    link_winners(partners, counts, [1, 3, 1], 3, 1)
    assert counts_of(partners, counts) == {(0, 2): 1, (1, 3): 1}


def test_a_new_link_takes_the_place_of_the_weakest_at_both_ends():
    partners, counts = tables(4, 2)
    for others, times in ((1, 3), (2, 2)):
        for _ in range(times):
            link_winners(partners, counts, [0, others], 2, -1)
    link_winners(partners, counts, [0, 3], 2, -1)
    assert counts_of(partners, counts) == {(0, 1): 3, (0, 3): 1}
    assert partners[2].tolist() == [-1, -1]


@settings(max_examples=60)
@given(
    room=st.integers(1, 4),
    shown=st.lists(
        st.tuples(st.lists(st.integers(0, 6), max_size=6), st.booleans()), min_size=1, max_size=30
    ),
)
def test_whatever_fires_both_ends_agree_and_so_does_the_engine(room, shown):
    partners, counts = tables(7, room)
    fast_partners, fast_counts = tables(7, room)
    for winners, imprint in shown:
        last = winners[-1] if winners and imprint else -1
        link_winners(partners, counts, winners, len(winners), last)
        fired = np.array([*winners, -1], np.int32)
        compiled.link_winners(fast_partners, fast_counts, fired, len(winners), last)
    check_links(partners, counts)
    assert partners.tobytes() == fast_partners.tobytes()
    assert counts.tobytes() == fast_counts.tobytes()


def test_room_is_bounded_and_small():
    network = Network(Parameters(links=16), initial_state(50, 392, 0))
    state = network.state
    links = state.link_partners.nbytes + state.link_counts.nbytes
    assert links <= state.weights.nbytes / 10  # behind the edge layer, 392 features


def test_links_follow_likeness():
    """Neurons that are linked look alike, on the whole."""
    X = load_digits().data[:600]
    parameters = Parameters(threshold=15.5, annealed=True, links=8)
    network = Network(parameters, initial_state(60, 64, 0))
    network.learn(X)
    state = network.state
    check_links(state.link_partners, state.link_counts)
    likeness = state.weights @ state.weights.T
    neurons, places = np.nonzero(state.link_partners >= 0)
    linked = np.average(
        likeness[neurons, state.link_partners[neurons, places]],
        weights=state.link_counts[neurons, places],
    )
    assert linked > likeness.mean() + 0.1


def test_another_number_begins_anew_and_recognition_changes_nothing():
    X = load_digits().data[:40]
    network = Network(Parameters(threshold=15.5, links=4), initial_state(12, 64, 0))
    network.learn(X)
    before = network.state.link_counts.copy()
    assert before.any()
    network.recognise(X)
    np.testing.assert_array_equal(network.state.link_counts, before)
    again = Network(Parameters(threshold=15.5, links=5), network.state)
    assert not again.state.link_counts.any()
    assert again.state.link_counts.shape == (12, 5)


def test_links_need_imprints_that_end_the_presentation():
    with pytest.raises(ValueError, match="links=4 needs stop_after_imprint=True"):
        Parameters(links=4, stop_after_imprint=False)
    assert ANNEALED.links == 0
