"""The notebooks run from top to bottom, show what they say, and are kept without outputs."""

import re
from pathlib import Path

import nbformat
import pytest
from jupyter_client import KernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples/notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[\d.]+(?=%)|\d\.\d+")


def numbers(printed):
    return [float(number) for number in NUMBER.findall(printed)]


def first_steps(printed):
    assert numbers(printed)[0] > 90
    assert "the same weights: True" in printed


def novelty(printed):
    before, after, area, strange, known = numbers(printed)
    assert before < after
    assert area > 0.9
    assert strange < known


def inside_a_presentation(printed):
    assert "now called 7" in printed


def own_rule(printed):
    paper, near_zero, own, more_near_zero = numbers(printed)[:4]
    assert min(paper, own) > 85
    assert near_zero < more_near_zero
    assert "weights >= 0" in printed
    assert "the same bits: True" in printed


def few_labels(printed):
    assert numbers(printed)[0] > 80


EXPECTED = {
    f.__name__: f for f in (first_steps, novelty, inside_a_presentation, own_rule, few_labels)
}


@pytest.fixture(scope="module")
def kernel():
    """One process for all: most of a notebook's time goes into imports."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


def read(path):
    return nbformat.read(path, as_version=4)


def test_every_notebook_has_its_expectation():
    assert {path.stem for path in NOTEBOOKS} == set(EXPECTED)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs(path):
    notebook = read(path)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_shows_what_it_says(path, kernel, tmp_path):
    notebook = read(path)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, km=kernel, timeout=300, resources=where).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [out for cell in code for out in cell.outputs]
    EXPECTED[path.stem]("".join(out.text for out in outputs if out.get("name") == "stdout"))
    assert not [out.text for out in outputs if out.get("name") == "stderr"]
    for cell in code:
        if re.search(r"plot\.\w+\(|plt\.subplots", cell.source):
            assert any("image/png" in out.get("data", {}) for out in cell.outputs), cell.source
