"""``lethenet label`` on a real terminal, from files, and its page in a real browser."""

import os
import re
import shutil
import sys

import numpy as np
import pytest

import lethenet
from lethenet.cli import main
from lethenet.cli.label import PROMPT
from lethenet.lifelong import Config, run
from lethenet.lifelong.labelling import Labelling, read_answers

SETTINGS = {"dataset": "digits", "neurons": 60, "threshold": 15.5, "links": 16, "n_jobs": 1}


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A finished run that learned with links, not to be changed."""
    return run(Config.of(**SETTINGS), tmp_path_factory.mktemp("label") / "run").folder


@pytest.fixture
def folder(learned, tmp_path):
    return shutil.copytree(learned, tmp_path / "run")


def names(folder, neurons):
    """What a person would say: the class that a neuron fires for most."""
    model = lethenet.load(folder)
    model = model[-1] if hasattr(model, "steps") else model
    return [str(model.classes_[c]) for c in model.label_counts_[neurons].argmax(axis=1)]


def accuracies(text):
    return [(int(n), float(a)) for n, a in re.findall(r"(\d+) labels?: ([\d.]+) % of 500", text)]


def test_on_a_real_terminal(folder):
    pexpect = pytest.importorskip("pexpect", reason="pexpect is not installed: pip install pexpect")
    program = "import sys; from lethenet.cli import main; sys.exit(main())"
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    arguments = ["-c", program, "label", str(folder), "--questions", "12"]
    terminal = pexpect.spawn(sys.executable, arguments, env=environment, timeout=180)
    seen = b""
    for number in range(12):
        terminal.expect_exact(PROMPT)
        seen += terminal.before
        neuron = int(re.findall(rb"neuron (\d+)", terminal.before)[-1])
        terminal.sendline("" if number == 5 else names(folder, [neuron])[0])
    terminal.expect_exact("the next questions:")
    seen += terminal.before
    terminal.expect_exact(PROMPT)
    terminal.sendeof()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    text = (seen + terminal.before).decode()
    assert "▀" in text  # pictures, in colour
    assert "\x1b[38;" in text
    bought = accuracies(text)
    assert bought[-1][0] == 11
    assert bought[-1][1] > 65 > bought[0][1]
    assert len(read_answers(folder / "labels.csv", 60)) == 12
    model = lethenet.load(folder / "labelled.safetensors")
    assert model.classes_.dtype.kind == "i"
    assert model.label_counts_.any(axis=1).sum() == 11


def test_labels_from_a_file_and_never_asked_twice(folder, tmp_path, capsys):
    asked = [question.neuron for question in Labelling(folder).ask(12)]
    answers = tmp_path / "mine.csv"
    lines = [f"{n},{name}" for n, name in zip(asked, names(folder, asked), strict=True)]
    answers.write_text("\n".join(["neuron,label", *lines[:11], f"{asked[11]},"]))
    assert main(["label", str(folder), "--answers", str(answers)]) == 0
    out = capsys.readouterr().out
    assert accuracies(out)[-1][0] == 11
    assert accuracies(out)[-1][1] > 65
    again = {question.neuron for question in Labelling(folder).ask(60)}
    assert not again & set(asked)
    correction = tmp_path / "correction.csv"
    correction.write_text(f"{asked[0]},9\n{asked[11]},9\n")
    assert main(["label", str(folder), "--answers", str(correction)]) == 0
    assert read_answers(folder / "labels.csv", 60)[asked[0]] == "9"
    assert accuracies(capsys.readouterr().out)[-1][0] == 12


def test_it_stops_when_nothing_is_left(folder, tmp_path, capsys):
    answers = tmp_path / "all.csv"
    answers.write_text("\n".join(f"{neuron}," for neuron in range(60)))
    assert main(["label", str(folder), "--answers", str(answers)]) == 0
    assert "Nothing is left to learn by asking." in capsys.readouterr().out


def test_names_that_no_test_set_knows(folder, tmp_path, capsys):
    asked = [question.neuron for question in Labelling(folder).ask(2)]
    answers = tmp_path / "mine.csv"
    answers.write_text(f"{asked[0]},cat\n{asked[1]},7\n")
    assert main(["label", str(folder), "--answers", str(answers)]) == 0
    assert accuracies(capsys.readouterr().out) == []
    model = lethenet.load(folder / "labelled.safetensors")
    assert model.classes_.tolist() == ["7", "cat"]


@pytest.mark.parametrize("line", ["60,cat", "-1,cat", "x,cat", "3", "3,a,b"])
def test_a_wrong_line_is_named(folder, tmp_path, capsys, line):
    answers = tmp_path / "mine.csv"
    answers.write_text(f"neuron,label\n1,dog\n{line}\n")
    assert main(["label", str(folder), "--answers", str(answers)]) == 2
    assert "line 3" in capsys.readouterr().err
    assert not (folder / "labels.csv").exists()


def test_a_run_without_links_is_told_so(tmp_path, capsys):
    plain = run(
        Config.of(**{**SETTINGS, "links": 0, "train_per_class": 5}), tmp_path / "plain"
    ).folder
    assert main(["label", str(plain)]) == 2
    assert "--links 16" in capsys.readouterr().err


def test_behind_a_first_layer(tmp_path):
    """Pictures show samples, not features; the layer is part of the model that is saved."""
    config = Config.of(**{**SETTINGS, "threshold": 14.5, "layer": "edges"}, train_per_class=60)
    labelling = Labelling(run(config, tmp_path / "run").folder)
    for question in labelling.ask(12):
        assert question.picture.shape == (8, 8)
        labelling.answer(question.neuron, names(labelling.folder, [question.neuron])[0])
    accuracy = labelling.accuracy()
    assert accuracy > 0.5
    model = lethenet.load(labelling.save())
    guesses = model.predict(labelling.data.X_test)
    assert np.mean(guesses == labelling.data.y_test) == accuracy


def test_data_that_are_gone_leave_the_weights_to_show(folder, monkeypatch):
    monkeypatch.setattr("lethenet.lifelong.labelling.load", _gone)
    labelling = Labelling(folder)
    question = labelling.ask(1)[0]
    assert question.picture.shape == (8, 8)
    labelling.answer(question.neuron, "3")
    assert labelling.accuracy() is None


def _gone(dataset, **options):
    raise OSError("gone")


def test_the_page_in_a_real_browser(folder, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    asked = [question.neuron for question in Labelling(folder).ask(3)]
    answers = tmp_path / "mine.csv"
    answers.write_text("\n".join(f"{n},{k}" for k, n in enumerate(asked)))
    assert main(["label", str(folder), "--answers", str(answers), "--questions", "4"]) == 0
    arguments = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=arguments)
        page = browser.new_page(viewport={"width": 390, "height": 900})
        complaints = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto((folder / "labels.html").as_uri())
        widths = page.evaluate("[...document.images].map(image => image.naturalWidth)")
        assert widths == [8] * 7  # four questions, three answers
        lines = page.locator("#csv").inner_text().split()
        assert lines[0] == "neuron,label"
        assert len(lines) == 5
        shown = page.locator("figcaption").all_inner_texts()
        assert f"neuron {asked[1]}: 1" in shown
        assert "%" in page.get_by_role("table").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert complaints == []
        browser.close()
    np.testing.assert_array_equal(
        [int(line.rstrip(",")) for line in lines[1:]],
        [question.neuron for question in Labelling(folder).ask(4)],
    )
