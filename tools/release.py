"""Build a release and use it as a stranger would: ``make release``. Nothing is uploaded.

docs/releasing.md is the checklist that this is a part of. It needs ``build`` and ``twine``, which the make
target installs, and takes some minutes. ``--tests all`` runs every test of the unpacked source archive
instead of the quick part, and the paper's evaluation at its smallest scale.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
QUICK_TESTS = (
    "tests/test_house.py",
    "tests/test_package.py",
    "tests/test_docs.py",
    "tests/model",
    "tests/data",
)
IN_SOURCE_ARCHIVE = (
    "Makefile",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "pyproject.toml",
    "src/lethenet/__init__.py",
    "reproduction/pyproject.toml",
    "tests/conftest.py",
    "examples/first_steps.py",
    "benchmarks/run.py",
    "docs/conf.py",
    "tools/release.py",
    "results/paper/README.md",
)


def main() -> None:
    """All steps in turn; the first that fails ends it with what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", choices=("quick", "all", "none"), default="quick")
    chosen = parser.parse_args()
    version = said_version()
    wheel, sdist = build(version)
    look_inside(wheel, sdist)
    with tempfile.TemporaryDirectory(prefix="lethenet-release-") as folder:
        use_the_wheel(wheel, Path(folder), version, reproduce=chosen.tests == "all")
        if chosen.tests != "none":
            test_the_source_archive(sdist, Path(folder), everything=chosen.tests == "all")
    step(
        f"ready: {wheel.name} and {sdist.name} in {DIST.name}/; docs/releasing.md has what comes next"
    )


def said_version() -> str:
    """The version, which _version.py, the changelog and CITATION.cff must all say."""
    step("version and changelog")
    code = (ROOT / "src/lethenet/_version.py").read_text(encoding="utf-8")
    version = re.search(r'__version__\s*=\s*"([^"]+)"', code)[1]
    reproduction = tomllib.loads((ROOT / "reproduction/pyproject.toml").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    require(reproduction["project"]["version"] == version, f"reproduction is not {version}")
    require(f"\n## {version}" in changelog, f"CHANGELOG.md has no section {version}")
    require(re.search(rf"^version: {re.escape(version)}$", citation, re.M), "CITATION.cff differs")
    if f"## {version} (unreleased)" in changelog:
        print(f"  note: CHANGELOG.md still calls {version} unreleased")
    return version


def build(version: str) -> tuple[Path, Path]:
    """The source archive, and the wheel from it."""
    step("building")
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    wheel, sdist = (
        DIST / f"lethenet-{version}-py3-none-any.whl",
        DIST / f"lethenet-{version}.tar.gz",
    )
    require(wheel.is_file() and sdist.is_file(), f"{wheel.name} or {sdist.name} was not built")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    return wheel, sdist


def look_inside(wheel: Path, sdist: Path) -> None:
    """The wheel has the package alone, the source archive all that its tests need."""
    step("contents")
    with zipfile.ZipFile(wheel) as archive:
        rooms = {name.partition("/")[0] for name in archive.namelist()}
    require(
        rooms == {"lethenet", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}, f"wheel has {rooms}"
    )
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in IN_SOURCE_ARCHIVE if name not in names]
    require(not missing, f"{sdist.name} lacks {', '.join(missing)}")


def use_the_wheel(wheel: Path, folder: Path, version: str, *, reproduce: bool) -> None:
    """In an empty environment, away from the sources: the command, a run with its report, the package."""
    step("the wheel in an empty environment")
    python = empty_environment(folder / "wheel", f"{wheel}[plot]")
    command = python.with_name("lethenet" + python.suffix)
    require(run(command, "--version", cwd=folder).strip() == f"lethenet {version}", "wrong version")
    require("reproduce" not in run(command, "--help", cwd=folder), "--help mentions reproduce")
    settings = ["--dataset", "digits", "--neurons", "50", "--threshold", "15"]
    run(command, "run", *settings, "--out", folder / "first", cwd=folder)
    require((folder / "first/report.html").is_file(), "the run left no report.html")
    require(not (folder / "results").exists(), "an installed lethenet wrote ./results")
    step("the reproduction beside it")
    run(python, "-m", "pip", "install", "--quiet", ROOT / "reproduction", cwd=folder)
    require("reproduce" in run(command, "--help", cwd=folder), "--help does not mention reproduce")
    if reproduce:
        run(command, "reproduce", "--scale", "smoke", "--out", folder / "smoke", cwd=folder)
        require((folder / "smoke/report.html").is_file(), "the reproduction left no report.html")


def test_the_source_archive(sdist: Path, folder: Path, *, everything: bool) -> None:
    """Unpack the source archive elsewhere and run its tests there."""
    step("tests of the unpacked source archive")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    python = empty_environment(
        folder / "tests", "--editable", f"{unpacked}[dev]", "--editable", unpacked / "reproduction"
    )
    chosen = () if everything else QUICK_TESTS
    run(python, "-m", "pytest", "-q", "-m", "not slow", *chosen, cwd=unpacked, shown=True)


def empty_environment(folder: Path, *packages: object) -> Path:
    """A new environment with these packages; its Python."""
    venv.create(folder, with_pip=True)
    python = next(p for p in (folder / "bin/python", folder / "Scripts/python.exe") if p.exists())
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    run(python, "-m", "pip", "check")
    return python


def run(*words: object, cwd: Path = ROOT, shown: bool = False) -> str:
    """Run a command without our PYTHONPATH; its output, or the end of everything if it fails."""
    surroundings = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    line = [str(word) for word in words]
    done = subprocess.run(
        line, cwd=cwd, env=surroundings, check=False, text=True, capture_output=not shown
    )
    if done.returncode:
        sys.exit(f"{' '.join(line)} failed:\n{done.stdout or ''}{done.stderr or ''}")
    return done.stdout or ""


def require(condition: object, otherwise: str) -> None:
    """Go on only if this holds."""
    if not condition:
        sys.exit(f"release: {otherwise}")


def step(name: str) -> None:
    """Say what happens now."""
    print(f"== {name}", flush=True)


if __name__ == "__main__":
    main()
