"""Where the time goes, kernel by kernel: ``perf`` samples, named after our functions.

numba's machine code has no symbols that perf can read. This compiles the kernels in memory, asks LLVM
where each function lies, samples the process with ``perf record -e cpu-clock`` (works in virtual machines,
too) and adds the samples up by function. Kernels marked ``stay_out_of_line`` appear under their own name,
others under their caller's.
"""

from __future__ import annotations

import argparse
import bisect
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def addresses(dispatchers):
    """(address, name) of every compiled function, ascending."""
    found = set()
    for dispatcher in dispatchers:
        for compiled in dispatcher.overloads.values():
            library = compiled.library
            for function in library._final_module.functions:
                if not function.is_declaration:
                    address = library._codegen._engine._ee.get_function_address(function.name)
                    found.add((address, readable(function.name)))
    return sorted(found)


def readable(name):
    parts = re.match(r"_ZN(?:8lethenet5model)?((?:\d+[a-z_0-9]+?)+)B\d", name)
    if not parts:
        return name[:60]
    rest, words = parts.group(1), []
    while match := re.match(r"(\d+)", rest):
        length, start = int(match.group(1)), match.end()
        words.append(rest[start : start + length])
        rest = rest[start + length :]
    return ".".join(words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neurons", type=int, default=400)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument(
        "--recognise", action="store_true", help="profile recognition, not learning"
    )
    options = parser.parse_args()
    if shutil.which("perf") is None:
        print("perf is missing: install it (Debian: linux-perf).", file=sys.stderr)
        return 2
    from lethenet.data import load

    X = load("mnist").X_train
    # cached machine code cannot be asked for its functions: compile anew
    os.environ["LETHENET_CACHE"] = os.devnull
    from lethenet.engine.batches import learn_batch, recognise_batch
    from lethenet.model import PAPER, Network, initial_state

    network = Network(PAPER, initial_state(options.neurons, X.shape[1], 0))
    print("compiling and warming up …")
    network.learn(X[:10_000])
    network.recognise(X[:10])
    rows = addresses([learn_batch, recognise_batch])
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "perf.data"
        command = ["perf", "record", "-q", "-p", str(os.getpid()), "-e", "cpu-clock", "-F", "3000"]
        recorder = subprocess.Popen([*command, "-o", samples], stderr=subprocess.DEVNULL)
        shown = X[10_000 : 10_000 + options.samples]
        network.recognise(shown) if options.recognise else network.learn(shown)
        recorder.terminate()
        recorder.wait()
        script = ["perf", "script", "-i", samples, "-F", "ip"]
        text = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    starts = [address for address, _ in rows]
    counts = collections.Counter()
    for word in text.split():
        place = bisect.bisect(starts, int(word, 16)) - 1
        if place >= 0 and int(word, 16) - starts[place] < 40_000:
            counts[rows[place][1]] += 1
    total = sum(counts.values())
    print(f"{options.neurons} neurons, {total} samples of 1/3000 s")
    for name, count in counts.most_common(15):
        print(f"{100 * count / total:6.1f} %  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
