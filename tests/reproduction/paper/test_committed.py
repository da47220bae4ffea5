"""The committed results of the paper's scale: complete, of one network, and what the report shows."""

import json
from pathlib import Path

import pytest
from lethenet_reproduction.paper import SCALES, agreement, final, table1
from lethenet_reproduction.paper.cells import final_cells, table_cells
from lethenet_reproduction.paper.result_index import ResultIndex
from lethenet_reproduction.paper_report.gallery import FIGURES
from lethenet_reproduction.paper_report.page import SECTIONS
from lethenet_reproduction.texts import discussion_by_section

SCALE = SCALES["paper"]
FOLDER = Path(__file__).parents[3] / "results" / "paper"


@pytest.fixture(scope="module")
def table():
    return table1.read_table(SCALE, FOLDER)


def test_every_cell_of_table_1_is_there_with_all_its_seeds(table):
    assert len(table.results) == 112
    for result in table.results:
        wanted = 5 if result.point.neurons in (400, 900) else 1
        assert len(result.train) == wanted, result.point


def test_all_cells_are_of_one_network(table):
    """In Table 1 and at the end."""
    records = ResultIndex(FOLDER / table1.FILE).find(table_cells(SCALE))
    records += ResultIndex(FOLDER / final.FILE).find(final_cells(SCALE, table1.chosen(table)))
    assert len({record["behaviour"] for record in records}) == 1


def test_the_best_cell_of_every_size_reaches_the_papers(table):
    short = [size for size in agreement.best_of_sizes(table) if size.difference < -0.5]
    assert not short


def test_the_best_cells_were_run_in_both_orders(table):
    best = table1.chosen(table)
    assert list(best) == list(SCALE.sizes)
    cells = final_cells(SCALE, best)
    assert len(ResultIndex(FOLDER / final.FILE).find(cells)) == len(cells) == 30


def test_the_whole_table_took_less_than_four_hours_on_two_cores():
    """As the runs recorded it when they were made: nothing is timed here."""
    one_seed = [cell for cell in table_cells(SCALE) if cell.config.seed == 0]
    records = ResultIndex(FOLDER / table1.FILE).find(one_seed)
    assert len(records) == 112
    assert table1.core_seconds(records) / 2 < 4 * 3600


@pytest.mark.parametrize("name", [entry.name for entry in FIGURES])
def test_every_figure_is_there_and_in_the_report(name):
    assert (FOLDER / "figures" / f"{name}.png").exists()
    title = next(entry.title for entry in FIGURES if entry.name == name)
    page = (FOLDER / "report.html").read_text("utf-8")
    assert title in page
    assert "Its results are missing" not in page


def test_every_line_can_be_read():
    for path in FOLDER.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            assert {"key", "config", "results", "cost"} <= set(json.loads(line)), path.name


def test_the_discussion_speaks_of_sections_that_there_are():
    written = discussion_by_section(FOLDER)
    assert set(written) - {""} <= {section.title for section in SECTIONS}
    assert "Written by hand on " in written[""]
