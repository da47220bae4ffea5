"""The rules of the house that no linter knows: sizes, kernels, who imports whom, files that must be."""

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"src/lethenet": 17_500 + 6 * 1_500 + 3_150, "reproduction": 8_500 + 3_900}
"""The house, and 1,500 lines for each capability since then: a first layer, few labels, devices, any
data and stream, a look inside, speed and hardening. These took 3,150 more than their share (before some
were saved 4,500), still to be saved; studies of the capabilities are in the reproduction."""
MOST_LINES = 300
MOST_PARAMETERS = 12
KERNELS = {"kernel", "allocating_kernel", "frame_kernel", "bound_kernel", "entry_kernel"}
COUNTED = {".py", ".html", ".jinja", ".j2", ".css", ".js"}
TEXT = {
    ".cff",
    ".cfg",
    ".css",
    ".html",
    ".ini",
    ".jinja",
    ".j2",
    ".js",
    ".json",
    ".jsonl",
    ".md",
    ".py",
}
TEXT |= {".csv", ".svg", ".toml", ".txt", ".yaml", ".yml", ""}
MACHINE_PATHS = re.compile(
    r"(?<![\w.$~}*])/(?:home|root|Users|work|opt)/(?!you/)[\w.]|\bC:\\Users\b"
)
REGISTRIES = re.compile(
    r"https?://[\w.-]*(?:pypi|artifactory|nexus|registry|proxy|mirror)[\w.-]*(?::\d+)?/", re.I
)
PUBLIC = re.compile(r"https?://(?:registry\.npmjs\.org|pypi\.org)/")
NEEDED = ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md")


def files(folder, kinds):
    """Files of these kinds below a folder, without caches and build products."""
    found = (p for p in (ROOT / folder).rglob("*") if p.suffix in kinds and p.is_file())
    return sorted(p for p in found if not {"__pycache__", "build"} & set(p.parts))


def lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def name(path):
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def tracked():
    """Files that git tracks; all files of an unpacked source archive."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and (ROOT / ".git").exists():
        return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]
    unpacked = (p for p in ROOT.rglob("*") if p.is_file())
    return [
        p for p in unpacked if not re.search(r"/(\.(?!github)|_build|__pycache__)", f"/{name(p)}")
    ]


def kernels(path):
    """(name, number of parameters) of every function that a kernel decorator compiles."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef):
            decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
            called = {d.attr if isinstance(d, ast.Attribute) else d.id for d in decorators}
            if called & KERNELS:
                given = node.args
                n = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
                yield node.name, n


def imported(path):
    """The modules that a file imports, wherever in it; relative ones without their dots."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


SOURCES = [path for package in PACKAGES for path in files(package, {".py"})]


def test_no_file_is_too_long():
    checked = [path for package in PACKAGES for path in files(package, COUNTED)]
    long = {name(path): lines(path) for path in checked if lines(path) > MOST_LINES}
    assert long == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_grows_beyond_what_can_be_read(package):
    assert sum(map(lines, files(package, COUNTED))) <= PACKAGES[package]


def test_kernels_take_few_parameters():
    found = {f"{name(path)}: {f}": n for path in SOURCES for f, n in kernels(path)}
    assert len(found) > 50  # the decorators are still called what KERNELS says
    assert {f: n for f, n in found.items() if n > MOST_PARAMETERS} == {}


def test_the_library_knows_nothing_of_the_reproduction():
    library = files("src", {".py"})
    assert [name(p) for p in library if any("lethenet_repro" in m for m in imported(p))] == []


def test_relative_imports_inside_the_packages():
    guilty = []
    for path in SOURCES:
        package = path.relative_to(ROOT).parts[1 if path.is_relative_to(ROOT / "src") else 2]
        own = (m for m in imported(path) if m.partition(".")[0] == package)
        guilty += [f"{name(path)} imports {module}" for module in own]
    assert guilty == []


def test_nothing_names_a_machine_or_its_registry():
    guilty = []
    for path in tracked():
        if path.suffix not in TEXT or path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for pattern in (MACHINE_PATHS, REGISTRIES):
            hits = (text[m.start() : m.end() + 40] for m in pattern.finditer(text))
            guilty += [f"{name(path)}: {hit!r}" for hit in hits if not PUBLIC.match(hit)]
    assert guilty == []


def test_the_check_of_paths_knows_a_wrong_one():
    assert MACHINE_PATHS.search("see /home/ada/net.py")
    assert MACHINE_PATHS.search('"/root/.cache"')
    assert not MACHINE_PATHS.search("/home/you/.cache")
    assert not MACHINE_PATHS.search("src/work/home/page.py")
    assert REGISTRIES.search("https://pypi.corp.example/simple/numpy")


@pytest.mark.parametrize("file", NEEDED)
def test_it_is_there(file):
    assert (ROOT / file).stat().st_size > 300


def test_a_licence_that_both_packages_name():
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    for project in ("pyproject.toml", "reproduction/pyproject.toml"):
        stated = tomllib.loads((ROOT / project).read_text(encoding="utf-8"))["project"]
        assert stated["license"] == "BSD-3-Clause"


def test_one_version():
    code = (ROOT / "src/lethenet/_version.py").read_text(encoding="utf-8")
    version = re.search(r'"([\d.]+\w*)"', code)[1]
    reproduction = (ROOT / "reproduction/pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(reproduction)["project"]["version"] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_oldest_versions_that_are_tested_are_those_that_are_allowed():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = dict(line.split(">=") for line in stated["dependencies"])
    text = (ROOT / "tests/oldest.txt").read_text(encoding="utf-8")
    tested = dict(re.findall(r"^([\w-]+)==([\d.]+)\.\*$", text, re.M))
    assert tested
    assert tested == {package: allowed[package] for package in tested}


def test_contributing_names_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+/[\w./]*\w(?:\.py|\.md|/))`", text))
    assert len(named) > 20
    places = (ROOT, ROOT / "src/lethenet")
    assert sorted(n for n in named if not any((place / n).exists() for place in places)) == []
