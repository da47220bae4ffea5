"""At which scale the evaluation is done: the paper's own, or a quick one that only tries it all out.

The i-th size, threshold and number of epochs of a scale stand for the i-th of the paper's Table 1, so
that every table and figure is made the same way at every scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

from .. import published

PUSHES = ("leftover", "usage")
SHARES = (0.0, 0.1, 0.3, 0.5, 1.0)
"""What is tried for ``push`` and ``forced_depression``, the two constants that the paper leaves open."""


class Point(NamedTuple):
    """One cell of Table 1.

    >>> Point(400, 13.5, epochs=1).neurons
    400
    """

    neurons: int
    threshold: float
    epochs: int


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Which experiments stand for the paper's.

    Parameters
    ----------
    name : str
        What it is called.
    dataset : str
        The data, as ``lethenet.data.load`` takes it.
    sizes, thresholds, epochs : tuple
        The axes of Table 1.
    seeds : tuple of int
        How many seeds for each size.
    fit_sizes, fit_epochs : tuple of int
        Which sizes and numbers of epochs the open constants are fitted on; one seed.
    precision_sizes : tuple of int
        On which sizes the precision of dopaminergic weights is tried; one seed.
    trials : tuple of int
        How many k-means networks of each size.
    k_means_iterations : int
        Lloyd iterations of each.
    visual_neurons, visual_threshold
        The small network whose weights are shown.
    stability_images : int
        On how many images the STDP rules are compared.
    train_per_class, test_per_class : int or None
        Only the first so many samples of each class.
    folder : Path
        Where its results go if nobody says otherwise.

    Examples
    --------
    >>> paper = SCALES["paper"]
    >>> paper.published(Point(400, 13.5, 1))
    87.53
    >>> [len(scale.sizes) for scale in SCALES.values()]
    [7, 7]
    """

    name: str
    dataset: str
    sizes: tuple[int, ...]
    thresholds: tuple[float, ...]
    epochs: tuple[int, ...]
    seeds: tuple[int, ...]
    fit_sizes: tuple[int, ...]
    fit_epochs: tuple[int, ...]
    precision_sizes: tuple[int, ...]
    trials: tuple[int, ...]
    k_means_iterations: int
    visual_neurons: int
    visual_threshold: float
    stability_images: int
    folder: Path
    train_per_class: int | None = None
    test_per_class: int | None = None

    @property
    def points(self) -> list[Point]:
        """All cells of Table 1, row by row."""
        return [Point(*each) for each in product(self.sizes, self.thresholds, self.epochs)]

    @property
    def fit_points(self) -> list[Point]:
        """The cells that the open constants are fitted on."""
        return [Point(*each) for each in product(self.fit_sizes, self.thresholds, self.fit_epochs)]

    @property
    def precision_points(self) -> list[Point]:
        """The cells on which the precision of dopaminergic weights is tried."""
        return [point for point in self.points if point.neurons in self.precision_sizes]

    @property
    def fit_rounds(self) -> list[list[Point]]:
        """The same in the order in which the fit measures them, cheap ones first."""
        columns = [
            [Point(neurons, threshold, epochs) for threshold in self.thresholds]
            for epochs in self.fit_epochs
            for neurons in self.fit_sizes
        ]
        return [[point for column in columns[:2] for point in column], *columns[2:]]

    @property
    def is_the_papers(self) -> bool:
        """Whether the cells are the paper's own, so that numbers can be compared."""
        axes = (published.SIZES, published.THRESHOLDS, published.EPOCHS)
        whole = self.train_per_class is None and self.test_per_class is None
        mine = (self.sizes, self.thresholds, self.epochs)
        return self.dataset == "mnist" and whole and mine == axes

    def seeds_of(self, neurons: int) -> range:
        """The seeds of a size."""
        return range(self.seeds[self.sizes.index(neurons)])

    def paper_size(self, neurons: int) -> int:
        """The paper's size that this one stands for."""
        return published.SIZES[self.sizes.index(neurons)]

    def published(self, point: Point) -> float:
        """Table 1's training accuracy in percent of the cell that this one stands for."""
        row = published.TABLE_1[self.paper_size(point.neurons)]
        return row[self.thresholds.index(point.threshold)][self.epochs.index(point.epochs)]


SCALES: dict[str, Scale] = {
    "paper": Scale(
        name="paper",
        dataset="mnist",
        sizes=published.SIZES,
        thresholds=published.THRESHOLDS,
        epochs=published.EPOCHS,
        seeds=(5, 5, 1, 1, 1, 1, 1),
        fit_sizes=(400, 900, 1600),
        fit_epochs=(1, 5),
        precision_sizes=(400,),
        trials=(100,) * 7,
        k_means_iterations=10,
        visual_neurons=100,
        visual_threshold=13.5,
        stability_images=100,
        folder=Path("results/paper"),
    ),
    "smoke": Scale(
        name="smoke",
        dataset="digits",
        sizes=(20, 30, 40, 50, 60, 80, 100),
        # 8 × 8 digits look alike: their thresholds lie higher
        thresholds=(14.5, 15.0, 15.5, 16.0),
        epochs=(1, 2, 3, 4),
        seeds=(2, 2, 1, 1, 1, 1, 1),
        fit_sizes=(20, 30, 40),
        fit_epochs=(1, 2),
        precision_sizes=(20, 30),
        trials=(5, 5, 5, 5, 3, 3, 3),
        k_means_iterations=5,
        visual_neurons=36,
        visual_threshold=15.0,
        stability_images=5,
        folder=Path("reproduction-smoke"),
        train_per_class=20,
        test_per_class=20,
    ),
}
