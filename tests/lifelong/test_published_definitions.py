"""R, BWT and forgetting against the definitions that other libraries publish, restated here.

Avalanche (ContinualAI/avalanche, avalanche/evaluation/metrics/forgetting_bwt.py): per experience,
forgetting is the first value recorded minus the last one, BWT its negative; the stream's value is the
mean over the experiences recorded at least twice.

Continuum (Continvvm/continuum, continuum/metrics/metrics.py): R from predictions; ``forgetting`` the
mean over j < T of max_l R[l, j] − R[T, j], as written at commit 986dd007. Continuum's R is taken from
the first task on; ours is unknown before a task is met, so the maximum is over l ≥ j. At commit
265a9859 its loops stop at T − 2, which leaves out the last but one task while still dividing by
T − 1; that is not Chaudhry et al. (2018, eq. 3), and we do not follow it.

Its ``backward_transfer`` cites GEM but averages over pairs i > j, as Díaz-Rodríguez et al. (2018) do,
and in both commits leaves out j = i − 1. Here that paper's formula is restated, not Continuum's code.
"""

import numpy as np
import pytest

from lethenet.lifelong import measures

MATRICES = [
    np.where(np.tril(np.ones((n, n))) > 0, np.random.default_rng(seed).random((n, n)), np.nan)
    for seed, n in enumerate([2, 2, 3, 5, 10, 20])
]


class AvalancheForgetting:
    """The standalone metric as documented: first and last value per key."""

    def __init__(self):
        self.first, self.last = {}, {}

    def update(self, key, value):
        if key in self.first:
            self.last[key] = value
        else:
            self.first[key] = value

    def result(self):
        return {key: self.first[key] - self.last[key] for key in self.last}


@pytest.mark.parametrize("R", MATRICES, ids=len)
def test_backward_transfer_is_avalanches(R):
    metric = AvalancheForgetting()
    for after, row in enumerate(R):
        for task in range(after + 1):
            metric.update(task, row[task])
    stream_bwt = np.mean([-value for value in metric.result().values()])
    assert measures.backward_transfer(R) == pytest.approx(stream_bwt, abs=1e-15)


@pytest.mark.parametrize("R", MATRICES, ids=len)
def test_forgetting_is_continuums_and_chaudhrys(R):
    T = len(R)
    total = 0.0
    for j in range(T - 1):
        total += max(R[k, j] for k in range(T - 1) if k >= j) - R[T - 1, j]
    assert measures.forgetting(R) == pytest.approx(total / (T - 1), abs=1e-15)


@pytest.mark.parametrize("R", MATRICES[:2], ids=len)
def test_both_definitions_of_backward_transfer_agree_on_two_tasks(R):
    T = len(R)
    over_all_pairs = sum(R[i, j] - R[j, j] for i in range(1, T) for j in range(i))
    assert measures.backward_transfer(R) == pytest.approx(over_all_pairs / (T * (T - 1) / 2))


@pytest.mark.parametrize("R", MATRICES, ids=len)
def test_average_accuracy_is_gems(R):
    assert measures.average_accuracy(R) == pytest.approx(sum(R[-1]) / len(R))


def test_accuracy_matrix_from_predictions_as_in_continuum():
    """R[i, j] is the share of right predictions on task j's samples after task i."""
    rng = np.random.default_rng(7)
    tasks = [[0, 1], [2], [3, 4, 5]]
    truth = rng.integers(0, 6, 300)
    task_of = np.array([next(t for t, group in enumerate(tasks) if c in group) for c in range(6)])
    for _ in tasks:
        predicted = np.where(rng.random(300) < 0.6, truth, rng.integers(0, 6, 300))
        for t in range(len(tasks)):
            mine = task_of[truth] == t
            expected = (predicted[mine] == truth[mine]).mean()
            assert measures.task_accuracy(truth[mine], predicted[mine]) == pytest.approx(expected)
