"""Which experiments stand for the paper's, and that its own scale is the paper's exactly."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from lethenet_reproduction import published
from lethenet_reproduction.paper import SCALES, fit
from lethenet_reproduction.paper.cells import final_cells, fit_cells, pairs, table_cells
from lethenet_reproduction.paper.scales import PUSHES, SHARES, Point

from lethenet.model import PAPER

PAPERS = SCALES["paper"]


def test_the_papers_scale_has_every_cell_of_table_1_with_the_papers_number():
    assert len(PAPERS.points) == 112
    for point in PAPERS.points:
        assert PAPERS.published(point) == published.training_accuracy(*point)


def test_every_size_of_the_smoke_scale_stands_for_one_of_the_papers():
    smoke = SCALES["smoke"]
    assert [smoke.paper_size(n) for n in smoke.sizes] == list(published.SIZES)
    values = [smoke.published(point) for point in smoke.points]
    assert values == [PAPERS.published(point) for point in PAPERS.points]


def test_only_the_papers_scale_may_be_compared():
    assert PAPERS.is_the_papers
    assert not SCALES["smoke"].is_the_papers
    assert not replace(PAPERS, train_per_class=1000).is_the_papers
    assert not replace(PAPERS, dataset="fashion-mnist").is_the_papers


def test_five_seeds_at_the_two_smallest_sizes_and_one_elsewhere():
    cells = table_cells(PAPERS)
    seeds = Counter(cell.config.neurons for cell in cells)
    assert seeds == {n: 16 * (5 if n <= 900 else 1) for n in published.SIZES}
    assert len(set(cells)) == len(cells)


def test_table_1_is_made_with_the_papers_rule_on_whole_mnist():
    for cell in table_cells(PAPERS):
        config = cell.config
        assert replace(config.parameters, threshold=PAPER.threshold) == PAPER
        assert (config.dataset, config.order, config.train_per_class) == (
            "mnist",
            "sequential",
            None,
        )
        assert cell.validation == 0
        assert cell.label_per_class is None


def test_the_fit_tries_all_pairs_on_the_small_sizes():
    assert set(pairs()) == {(push, share) for push in PUSHES for share in SHARES}
    cells = fit_cells(PAPERS)
    tried = Counter(
        (cell.config.parameters.push, cell.config.parameters.forced_depression) for cell in cells
    )
    assert tried == dict.fromkeys(pairs(), 3 * 2 * 4)
    assert {cell.config.neurons for cell in cells} == {400, 900, 1600}
    assert {cell.config.epochs for cell in cells} == {1, 5}


def test_the_final_cells_are_the_best_ones_in_both_orders():
    best = {400: Point(400, 13.5, 1), 6400: Point(6400, 14.25, 20)}
    cells = final_cells(PAPERS, best)
    assert len(cells) == 2 * (5 + 1)
    for cell in cells:
        config = cell.config
        assert (config.parameters.threshold, config.epochs) == best[config.neurons][1:]
        # all classes mixed are one task: looking after each of them would be looking once
        assert cell.evaluate == ("each task" if config.order == "sequential" else "end")


@pytest.mark.parametrize("name", SCALES)
def test_axes_have_a_value_for_each_size(name):
    scale = SCALES[name]
    assert len(scale.seeds) == len(scale.trials) == len(scale.sizes)
    assert set(scale.fit_sizes) <= set(scale.sizes)
    assert set(scale.fit_epochs) <= set(scale.epochs)


def test_the_preset_has_the_pair_that_the_committed_fit_found():
    """Once the fit is decided, everything else is made with its winner."""
    folder = Path(__file__).parents[3] / "results" / "paper"
    found = fit.read_fit(PAPERS, folder)
    best = fit.winner(found)
    if best is None or fit.undecided(found):
        pytest.skip("the fit is not decided yet: lethenet reproduce --only fit")
    assert (PAPER.push, PAPER.forced_depression) == (best.push, best.forced_depression)
