"""Flip every single bit of a model file, a checkpoint and the arrays of a run: each must be refused.

``python tests/fuzz/bits.py`` does all of them and appends to ``results/fuzz/bits.jsonl``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import ROOT, _memory, append_line, sources
from originals import make_models, make_runs

OUT = ROOT / "results" / "fuzz" / "bits.jsonl"


def readers(folder: Path) -> dict[str, tuple[Path, Callable[[], Any]]]:
    """A small file of each kind, and what reads it."""
    import lethenet
    from lethenet.lifelong.learner_experiment import experiment_of
    from lethenet.lifelong.protocol import load_data
    from lethenet.lifelong.reading import read_run, read_run_arrays
    from lethenet.lifelong.rundir import RunDirectory

    (folder / "models").mkdir()
    make_models(folder / "models")
    make_runs(folder)
    model, half = folder / "models" / "links.safetensors", folder / "half"
    config, document = RunDirectory.open(half).config, read_run(folder / "run")
    experiment, checkpoint = (
        experiment_of(config, load_data(config)),
        half / "checkpoint.safetensors",
    )
    return {
        "model": (model, lambda: lethenet.load(model)),
        "checkpoint": (checkpoint, lambda: experiment.read_checkpoint(checkpoint)),
        "run arrays": (
            folder / "run" / "arrays.safetensors",
            lambda: read_run_arrays(folder / "run", document),
        ),
    }


def unnoticed(path: Path, read: Callable[[], Any], bits: Iterable[int]) -> list[int]:
    """Which of these bits can be flipped without being refused."""
    content = path.read_bytes()
    found = []
    for bit in bits:
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            read()
        except ValueError:
            continue
        found.append(bit)
    path.write_bytes(content)
    read()  # as it was, it is read
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    out.unlink(missing_ok=True)
    failed = False
    with tempfile.TemporaryDirectory(dir=_memory()) as name:
        for kind, (path, read) in readers(Path(name)).items():
            n_bits = 8 * path.stat().st_size
            missed = unnoticed(path, read, range(n_bits))
            line = {"file": kind, "bits": n_bits, "unnoticed": missed[:50], "n": len(missed)}
            append_line(out, {**line, "sources": sources()})
            print(line, file=sys.stderr, flush=True)
            failed |= bool(missed)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
