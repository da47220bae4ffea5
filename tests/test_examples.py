"""The examples run, print what they say they show, and draw a figure."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
sys.path.insert(0, str(ROOT / "docs"))

from run_examples import run_example  # noqa: E402

SHARE = re.compile(r"([\d.]+)%")


def shares(printed):
    return [float(number) for number in SHARE.findall(printed)]


def first_steps(printed):
    assert shares(printed)[0] > 90


def lifelong(printed):
    ours, forgotten, kmeans, _ = shares(printed)
    assert ours > 90
    assert ours > kmeans
    assert forgotten < 10


def novelty(printed):
    first, again = shares(printed)
    assert 0 < again < first


def inside(printed):
    assert "has become a 7" in printed


def own_rule(printed):
    paper, near_zero, own, more_near_zero = shares(printed)
    assert min(paper, own) > 85
    assert more_near_zero > near_zero


def stop_and_go_on(printed):
    assert "the same afterwards: True" in printed


EXPECTED = {
    f.__name__: f for f in (first_steps, lifelong, novelty, inside, own_rule, stop_and_go_on)
}


def test_every_example_has_its_expectation_and_its_page():
    names = {script.stem for script in SCRIPTS}
    assert names == set(EXPECTED)
    assert names == {p.stem for p in (ROOT / "docs/examples").glob("*.md")} - {"index"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_runs_and_shows_what_it_says(script, tmp_path):
    printed = run_example(script, tmp_path)
    EXPECTED[script.stem](printed)
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 20_000


def test_a_failing_example_is_an_error(tmp_path):
    script = tmp_path / "broken.py"
    script.write_text("raise ValueError('tea is cold')")
    with pytest.raises(RuntimeError, match="tea is cold"):
        run_example(script, tmp_path)
    script.write_text("print('no figure')")
    with pytest.raises(RuntimeError, match="never called"):
        run_example(script, tmp_path)
