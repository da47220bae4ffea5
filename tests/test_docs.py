"""The documentation's pages: figures with their commands, includes, commands that exist, examples that run.

``make docs`` builds the site and follows its links; this is what can be checked in seconds, without Sphinx.
"""

import doctest
import re
import shlex
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
from lethenet_reproduction.cli.study import STUDIES

from lethenet.cli.app import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)
FRONT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
BLOCK = re.compile(
    r"^(?P<fence>```|:::)(?P<kind>\S*) ?(?P<what>[^\n]*)\n(?P<body>.*?)^(?P=fence)$", re.M | re.S
)
COMMAND = re.compile(r"`((?:lethenet |make |python -m lethenet)[^`]*)`")
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users|mnt)/|\b[A-Z]:\\|\bfile://")

COMMANDS = typer.main.get_command(app)

by_name = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
with_front = pytest.mark.parametrize(
    "page", [*PAGES, *FRONT], ids=lambda p: str(p.relative_to(ROOT))
)


def blocks(page, kind):
    """Fenced blocks of one kind: what stands after it, and the body."""
    found = (m for m in BLOCK.finditer(page.read_text(encoding="utf-8")) if m["kind"] == kind)
    return [(m["what"].strip(), m["body"]) for m in found]


def options(body):
    """The ``:name: value`` lines of a directive, quotes taken off."""
    found = re.findall(r"^:([\w-]+):[ ]?(.*)$", body, re.M)
    return {name: value.strip().strip('"') for name, value in found}


def included(page):
    """The files that a page includes, with their options."""
    return [
        ((page.parent / what).resolve(), options(body)) for what, body in blocks(page, "{include}")
    ]


def pictures(page):
    """Plain Markdown pictures; those in figures have captions, those of examples are drawn by the build."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return re.findall(r"!\[[^]]*\]\((?!/_build/examples/)([^)]+)\)", text)


def commands(text):
    """Commands in the text: in inline code, and lines of shell blocks."""
    shell = "\n".join(m["body"] for m in BLOCK.finditer(text) if m["kind"] == "sh")
    shell = shell.replace("\\\n", " ")
    lines = re.findall(r"^(?:lethenet|make|python -m lethenet)\b.*$", shell, re.M)
    return [" ".join(found.split()) for found in (*COMMAND.findall(text), *lines)]


@cache
def wrong(command):
    """What is wrong with a command, or nothing."""
    words = shlex.split(command.replace("…", ""), comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
        return [w for w in words[1:] if w not in targets]
    if words[0] == "python":
        return [] if find_spec(words[2]) else [words[2]]
    here = COMMANDS
    known = {"--help"} | {name for p in here.params for name in (*p.opts, *p.secondary_opts)}
    rest = words[1:]
    while rest and hasattr(here, "commands") and not rest[0].startswith("-"):
        if rest[0] not in here.commands:
            return [rest[0]]
        here = here.commands[rest.pop(0)]
        known = {"--help"} | {name for p in here.params for name in (*p.opts, *p.secondary_opts)}
    if here.name == "study" and rest[:1] and rest[0] not in (*STUDIES, "NAME"):
        return rest[:1]
    return [w for w in rest if w.startswith("--") and w.partition("=")[0] not in known]


def test_every_page_is_in_a_table_of_contents():
    listed = {"index"}
    for page in PAGES:
        for _, body in blocks(page, "{toctree}"):
            entries = [line for line in body.splitlines() if line and not line.startswith(":")]
            listed |= {str((page.parent / e).relative_to(DOCS)) for e in entries}
    assert listed == {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES}


@by_name
def test_figures_exist_and_their_captions_say_how_they_are_made(page):
    missing = []
    for what, body in blocks(page, "{figure}"):
        if not (page.parent / what).is_file():
            missing.append(f"{what} is not there")
        if "Made by" not in body or not commands(body) or any(map(wrong, commands(body))):
            missing.append(f"{what}: its caption names no command that makes it")
    said = " ".join(c for c in commands(page.read_text(encoding="utf-8")) if not wrong(c))
    for picture in pictures(page):
        if not (page.parent / picture).is_file():
            missing.append(f"{picture} is not there")
        if Path(picture).parent.name not in said.replace("-", "_"):
            missing.append(f"{picture}: the page names no command that makes it")
    for file, chosen in included(page):
        if file.is_file() and "relative-images" in chosen:
            there = [(file.parent / picture).is_file() for picture in pictures(file)]
            missing += [] if all(there) else [f"{file}: not all of its pictures are there"]
    assert missing == []


@by_name
def test_includes_find_what_they_look_for(page):
    missing = []
    for file, chosen in included(page):
        name = file.relative_to(ROOT)
        if not file.is_file():
            missing.append(f"{name} is not there")
            continue
        text = file.read_text(encoding="utf-8")
        marks = [chosen[key] for key in ("start-after", "end-before") if key in chosen]
        missing += [f"{name} has no {mark!r}" for mark in marks if mark not in text]
    assert missing == []


@with_front
def test_commands_exist(page):
    text = page.read_text(encoding="utf-8")
    assert {command: wrong(command) for command in commands(text) if wrong(command)} == {}


@pytest.mark.parametrize("page", FRONT, ids=lambda p: p.name)
def test_links_of_the_front_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_numbers_of_the_readme_are_in_the_results():
    measured = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("results/*/README.md"))
    numbers = re.findall(r"\d+\.\d\d\b", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(numbers) > 10
    assert [n for n in numbers if not re.search(rf"(?<![\d.]){re.escape(n)}(?!\d)", measured)] == []


def test_every_example_is_shown_with_its_figure_and_its_output():
    for script in sorted((ROOT / "examples").glob("*.py")):
        page = (DOCS / "examples" / f"{script.stem}.md").read_text(encoding="utf-8")
        assert f"(/_build/examples/{script.stem}.png)" in page
        included = [
            what for what, _ in blocks(DOCS / "examples" / f"{script.stem}.md", "{literalinclude}")
        ]
        assert included == [f"/_build/examples/{script.stem}.txt", f"../../examples/{script.name}"]


def test_the_check_of_commands_knows_a_wrong_one():
    assert wrong("lethenet run --neurons 400 --no-dopamine  # as ever") == []
    assert wrong("lethenet run --neurones 400") == ["--neurones"]
    assert wrong("lethenet study nothing") == ["nothing"]
    assert wrong("make tea") == ["tea"]
    assert wrong("python -m lethenet.nothing") == ["lethenet.nothing"]


@with_front
def test_no_paths_of_some_machine(page):
    assert MACHINE_PATHS.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "page", [p for p in PAGES if ">>> " in p.read_text(encoding="utf-8")], ids=lambda p: p.name
)
def test_examples_run(page):
    source = "\n".join(body for _, body in blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    assert test.examples
    failures: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=failures.append)
    if failures:
        pytest.fail("".join(failures), pytrace=False)
