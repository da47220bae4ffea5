"""The same C on this machine: compiled by its own compiler, called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from dataclasses import dataclass

import numpy as np

from ...model.integer import IntegerNetwork
from .sources import c_sources, layout, write_files

WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
FAST = ("-O3", "-march=native")

BATCH = """
#include "network.h"
#include <string.h>
void batch(const uint8_t *samples, uint32_t n, int learn, uint16_t *winners, int32_t *more)
{
    for (uint32_t k = 0; k < n; k++) {
        lethe_shown shown;
        const uint8_t *x = samples + (uint64_t)k * LETHE_FEATURES;
#if LETHE_LEARNS
        if (learn) lethe_learn(x, &shown); else lethe_recognise(x, &shown);
#else
        (void)learn; lethe_recognise(x, &shown);
#endif
        memcpy(winners + (uint64_t)k * LETHE_MOST_SPIKES, shown.winners, sizeof shown.winners);
        more[4 * k] = shown.n_winners;
        more[4 * k + 1] = shown.imprinted;
        more[4 * k + 2] = (int32_t)shown.input_spikes;
        more[4 * k + 3] = (int32_t)shown.raises;
    }
}
"""
"""Many samples in one call."""


@dataclass(frozen=True)
class HostPresented:
    """What happened, a row per sample: winners (−1 where none fired), imprints, input spikes, raises."""

    winners: np.ndarray
    imprints: np.ndarray
    input_spikes: np.ndarray
    raises: np.ndarray


class HostNetwork:
    """The C of a network in integers, compiled for this machine.

    ``learning`` says whether the C can learn; ``flags`` are for the compiler, which is ``$CC`` or ``cc``.

    >>> from lethenet.model import PAPER, initial_state, quantise
    >>> from lethenet.model.network import Network
    >>> network = Network(PAPER, initial_state(n_neurons=3, n_features=4, seed=0))
    >>> host = HostNetwork(quantise(network))
    >>> host.learn(np.array([[0, 200, 100, 0]], np.uint8)).imprints
    array([0], dtype=int32)
    """

    def __init__(
        self, integers: IntegerNetwork, *, learning: bool = True, flags: tuple[str, ...] = FAST
    ) -> None:
        c = self.constants = integers.constants
        self._n_spikes = max(c.n_output_spikes, c.n_readout_spikes)
        compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, {**c_sources(integers, learning=learning), "batch.c": BATCH})
            library = f"{folder}/network.so"
            command = [compiler, *WARNINGS, *flags, "-shared", "-fPIC", "-o", library]
            command += [f"{folder}/network.c", f"{folder}/batch.c"]
            try:
                subprocess.run(command, capture_output=True, text=True, check=True)
            except FileNotFoundError:
                raise ValueError(
                    f"{compiler} is not there: install a C compiler, or set CC."
                ) from None
            except subprocess.CalledProcessError as error:
                raise RuntimeError(f"{compiler} refused the C: {error.stderr[:2000]}") from error
            self.library = ctypes.CDLL(library)

    def learn(self, X: np.ndarray) -> HostPresented:
        """Learn rows of bytes in order."""
        return self._present(X, 1)

    def recognise(self, X: np.ndarray) -> HostPresented:
        """Recognise rows of bytes, frozen."""
        return self._present(X, 0)

    def _present(self, X: np.ndarray, learn: int) -> HostPresented:
        X, n = np.ascontiguousarray(X), self.constants.n_features
        if X.dtype != np.uint8 or X.shape[1:] != (n,):
            raise ValueError(
                f"samples {X.dtype} {X.shape}: expected bytes, {n} to a row (lethenet.model.as_bytes)."
            )
        winners = np.zeros((len(X), self._n_spikes), np.uint16)
        more = np.zeros((len(X), 4), np.int32)
        there = [ctypes.c_void_p(array.ctypes.data) for array in (X, winners, more)]
        self.library.batch(there[0], ctypes.c_uint32(len(X)), learn, *there[1:])
        fired = np.arange(self._n_spikes) < more[:, :1]
        return HostPresented(
            np.where(fired, winners.astype(np.int32), -1), more[:, 1], more[:, 2], more[:, 3]
        )

    def save(self) -> bytes:
        """All that changes, with its checksum."""
        size = self.library.lethe_image_bytes()
        image = ctypes.create_string_buffer(size)
        self.library.lethe_save(image, 0, size)
        return image.raw

    def restore(self, image: bytes) -> None:
        """Take over an image; ValueError if it is damaged."""
        size = self.library.lethe_image_bytes()
        if len(image) != size or self.library.lethe_restore(image) != 0:
            raise ValueError(f"an image of {len(image)} bytes is damaged or of another network.")


def image_of(integers: IntegerNetwork, *, learning: bool = True) -> bytes:
    """What ``lethe_save`` gives for this state, on a machine that keeps the low byte first."""
    c = integers.constants
    seed = c.seed & 0xFFFFFFFF, c.seed >> 32
    head = struct.pack("<4I", layout(integers, learning=learning), *seed, integers.n_presentations)
    parts: list[tuple[np.ndarray, str]] = [(integers.labels, "<u2")]
    if learning:
        parts = [(integers.usage, "<u4"), (integers.spikes_since_imprint, "<u2"), *parts]
        parts += [(integers.kept, "<u2")] if c.rounding == "shadow" else []
        parts += [(integers.weights, "<u2" if c.bits == 16 else "u1")]
    body = head + b"".join(array.astype(kind).tobytes() for array, kind in parts)
    body += bytes(-len(body) % 4)
    return struct.pack("<I", zlib.crc32(body)) + body
