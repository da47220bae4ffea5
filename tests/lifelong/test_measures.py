"""The measures against cases worked out by hand."""

import numpy as np
import pytest

from lethenet.lifelong import measures

# Three tasks. After the last: 0.6, 0.7, 1.0.
R = measures.accuracy_matrix([[0.9, None, None], [0.95, 0.8, None], [0.6, 0.7, 1.0]])


def test_average_accuracy_is_the_mean_of_the_last_row():
    assert measures.average_accuracy(R) == pytest.approx((0.6 + 0.7 + 1.0) / 3)


def test_backward_transfer_counts_from_when_a_task_was_learned():
    assert measures.backward_transfer(R) == pytest.approx(((0.6 - 0.9) + (0.7 - 0.8)) / 2)


def test_forgetting_counts_from_the_best():
    assert measures.forgetting(R) == pytest.approx(((0.95 - 0.6) + (0.8 - 0.7)) / 2)


def test_forgetting_is_negative_if_the_last_task_helped_the_earlier_ones():
    better = measures.accuracy_matrix([[0.5, None], [0.9, 1.0]])
    assert measures.forgetting(better) == pytest.approx(-0.4)
    assert measures.backward_transfer(better) == pytest.approx(0.4)


def test_a_single_task_is_not_forgotten():
    single = measures.accuracy_matrix([[0.75]])
    assert measures.average_accuracy(single) == 0.75
    assert measures.backward_transfer(single) == 0.0
    assert measures.forgetting(single) == 0.0


@pytest.mark.parametrize(
    "rows", [[[0.9, None], [0.9, 0.8]][:1], [[0.9, None], [0.9, None]], []], ids=str
)
def test_an_unfinished_matrix_has_no_headline_numbers(rows):
    matrix = measures.accuracy_matrix(rows)
    for measure in (measures.average_accuracy, measures.backward_transfer, measures.forgetting):
        with pytest.raises(ValueError, match="not a finished accuracy matrix"):
            measure(matrix)


#                 taken for 0  1  2
CONFUSION = np.array([[8, 1, 1], [0, 9, 1], [2, 3, 5]])


def test_confusion_matrix_counts_pairs():
    truth = np.array([0, 0, 1, 2, 2, 2])
    predicted = np.array([0, 2, 1, 2, 0, 0])
    expected = [[1, 0, 1], [0, 1, 0], [2, 0, 1]]
    assert measures.confusion_matrix(truth, predicted, 3).tolist() == expected


def test_accuracies_from_a_confusion_matrix():
    assert measures.accuracy(CONFUSION) == pytest.approx(22 / 30)
    assert measures.class_accuracies(CONFUSION) == pytest.approx([0.8, 0.9, 0.5])


def test_a_class_without_samples_has_no_accuracy():
    assert np.isnan(measures.class_accuracies(np.array([[0, 0], [1, 2]]))[0])


def test_false_positives_are_the_column_without_the_diagonal():
    assert measures.false_positives(CONFUSION).tolist() == [2, 4, 2]


def test_neurons_belong_to_their_dominant_class():
    counts = np.array([[5, 1, 0], [0, 0, 0], [0, 2, 2], [0, 0, 9], [7, 0, 0]])
    assert measures.neurons_per_class(counts).tolist() == [2, 1, 1]  # a tie goes to the first


def test_fates_of_neurons():
    imprinted = np.array([1, 1, 1, 0, 0, 0], np.uint8)
    before = np.array([1, 0, 0, 1, 1, 0], bool)
    assert list(measures.neuron_fates(imprinted, before).values()) == [1, 2, 2]


def test_every_headline_number_has_a_definition(tiny_run):
    assert set(measures.DEFINITIONS) == set(tiny_run.summary)
