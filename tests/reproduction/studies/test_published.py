"""Table 1 as data: spot checks against the paper, and the cells it highlights."""

import pytest
from lethenet_reproduction import published as paper


def test_table_is_complete() -> None:
    assert tuple(paper.TABLE_1) == paper.SIZES
    for rows in paper.TABLE_1.values():
        assert len(rows) == len(paper.THRESHOLDS)
        assert all(len(row) == len(paper.EPOCHS) for row in rows)
        assert all(70 < value < 100 for row in rows for value in row)


@pytest.mark.parametrize(
    ("neurons", "threshold", "epochs", "value"),
    [
        (400, 13.5, 1, 87.53),
        (400, 14.25, 20, 74.94),
        (900, 13.75, 20, 86.11),
        (1600, 14.25, 1, 88.31),
        (2500, 14.0, 5, 93.35),
        (3600, 13.75, 20, 94.44),
        (4900, 13.5, 10, 94.66),
        (6400, 13.5, 1, 95.40),
        (6400, 14.25, 5, 94.86),
    ],
)
def test_cells(neurons: int, threshold: float, epochs: int, value: float) -> None:
    assert paper.training_accuracy(neurons, threshold, epochs) == value


@pytest.mark.parametrize(
    "best",
    [
        (400, 13.5, 1, 87.53),
        (900, 14.0, 5, 91.35),
        (1600, 14.0, 5, 93.12),
        (2500, 14.0, 10, 94.20),
        (3600, 14.0, 20, 94.49),
        (4900, 14.0, 20, 95.17),
        (6400, 14.25, 20, 95.79),
    ],
)
def test_best_cells_are_the_highlighted_ones(best: tuple[int, float, int, float]) -> None:
    assert paper.best_cell(best[0]) == best


@pytest.mark.parametrize("cell", [(500, 13.5, 1), (400, 13.0, 1), (400, 13.5, 2)])
def test_no_such_cell(cell: tuple[int, float, int]) -> None:
    assert paper.training_accuracy(*cell) is None


def test_headlines() -> None:
    assert (paper.TEST_ACCURACY_6400, paper.MEAN_PENALTY) == (95.36, 1.17)
