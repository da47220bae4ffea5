"""The kernel cache: damage costs a compilation, never the run; code of others is not run."""

import os
import pickle

import pytest

from lethenet.engine.compiling import disk_cache
from lethenet.engine.compiling.disk_cache import _CheckedFiles, _is_private


@pytest.fixture
def kept(tmp_path):
    folder = tmp_path / "kernels" / "abc"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    files = _CheckedFiles(folder, "kernel")
    files.save("types", ("machine", "code"))
    return files, folder


def test_what_is_kept_comes_back(kept):
    files, folder = kept
    assert files.load("types") == ("machine", "code")
    assert [path.suffix for path in folder.iterdir()] == [".kernel"]
    with pytest.raises(FileNotFoundError):  # which KernelCache takes for: compile it
        files.load("other types")


def test_every_damage_is_found_and_written_over(kept):
    files, folder = kept
    path = next(folder.iterdir())
    content = path.read_bytes()
    for damaged in (b"", content[:10], content[:-1], content + b"x"):
        path.write_bytes(damaged)
        assert files.load("types") is None
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert files.load("types") is None
    files.save("types", "anew")
    assert files.load("types") == "anew"


class Boom:
    def __reduce__(self):
        return (pytest.fail, ("code from the cache was run",))


@pytest.mark.skipif(os.name == "nt", reason="rights are others on Windows")
@pytest.mark.parametrize("rights", [0o770, 0o777, 0o702])
@pytest.mark.parametrize("which", ["folder", "parent"])
def test_a_folder_that_others_can_write_to_is_not_used(kept, rights, which):
    files, folder = kept
    code = pickle.dumps(Boom())
    path = next(folder.iterdir())
    path.write_bytes(disk_cache.hashlib.sha256(code).digest() + code)
    (folder if which == "folder" else folder.parent).chmod(rights)
    _is_private.cache_clear()
    with pytest.warns(RuntimeWarning, match="can be written by others"):
        assert files.load("types") is None
    _is_private.cache_clear()


@pytest.mark.skipif(os.name == "nt", reason="rights are others on Windows")
def test_the_folder_is_private_whatever_the_umask(tmp_path, monkeypatch):
    monkeypatch.setenv("LETHENET_CACHE", str(tmp_path / "cache"))
    before = os.umask(0)
    try:
        disk_cache._Locator(lambda: None).ensure_cache_path()
    finally:
        os.umask(before)
    folder = next((tmp_path / "cache" / "kernels").iterdir())
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
