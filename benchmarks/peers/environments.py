"""Build an environment per peer, so that lethenet never depends on one of them.

    python benchmarks/peers/environments.py            # all of them
    python benchmarks/peers/environments.py brian2     # one
    python benchmarks/peers/environments.py --again    # from scratch

Environments lie in `.venvs/` at the root of the repository (git-ignored), versions are pinned, and
a stamp in each holds the recipe it was built from: building again does nothing until the recipe
changes. From Python, `interpreter_of(peer)` does the same and returns the interpreter, or raises
`PeerUnavailableError`; the benchmark then leaves that peer out and says so.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parents[1] / ".venvs"
STAMP = "peer-recipe.json"


class PeerUnavailableError(RuntimeError):
    """A peer cannot be installed or does not import here; the message says why."""


@dataclass(frozen=True)
class Peer:
    """How to install a peer: pip's arguments, one list per call, and code that proves it works.

    Without any installs, the peer runs in the environment of lethenet itself.
    """

    script: Path
    installs: tuple[tuple[str, ...], ...]
    check: str
    needs_compiler: bool = False


PEERS = {
    "brian2": Peer(
        script=HERE / "brian2_network.py",
        # Brian2 2.9.0 does not work with numpy 2.4; distutils is setuptools' from Python 3.12 on.
        installs=(("brian2==2.9.0", "numpy==2.3.5", "setuptools<81"),),
        check="import brian2",
        needs_compiler=True,
    ),
    "bindsnet": Peer(
        script=HERE / "bindsnet_network.py",
        # BindsNET 0.3.4 declares a newer torch, OpenCV, games and more; its networks run without
        # (see stand_ins.py), so it comes without its dependencies and these instead.
        installs=(
            (
                "torch==2.13.0",
                "numpy==2.4.6",
                "scipy==1.17.1",
                "matplotlib==3.11.2",
                "tqdm==4.70.1",
            ),
            ("--no-deps", "bindsnet==0.3.4"),
        ),
        check="import torch, stand_ins; stand_ins.install(); import bindsnet.models",
    ),
    "kmeans": Peer(script=HERE / "kmeans.py", installs=(), check="import sklearn.cluster"),
}


def say(message: str) -> None:
    """Progress goes to stderr, at once."""
    print(message, file=sys.stderr, flush=True)


def python_in(environment: Path) -> Path:
    """The interpreter of an environment."""
    if os.name == "nt":
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def recipe_of(peer: Peer) -> str:
    """What the stamp holds: what was installed, and for which Python."""
    return json.dumps({"installs": peer.installs, "python": sys.version.split()[0]}, indent=1)


def run_step(name: str, what: str, command: list[str]) -> None:
    """Run one command; when it fails, raise with the end of what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-6:])
        raise PeerUnavailableError(f"{name}: {what} failed\n{last}")


def build(name: str, *, again: bool = False, peer: Peer | None = None) -> Path:
    """Build a peer's environment unless its stamp says it is there; return its interpreter."""
    peer = peer or PEERS[name]
    if peer.needs_compiler and not shutil.which(os.environ.get("CXX", "g++")):
        raise PeerUnavailableError(f"{name}: needs a C++ compiler (g++, or the one $CXX names)")
    if not peer.installs:
        run_step(name, f"`{peer.check}`", [sys.executable, "-c", peer.check])
        say(f"{name}: runs in the environment of lethenet")
        return Path(sys.executable)

    environment = ENVIRONMENTS / name
    python, stamp, recipe = python_in(environment), environment / STAMP, recipe_of(peer)
    if not again and stamp.is_file() and stamp.read_text() == recipe and python.exists():
        say(f"{name}: there already ({', '.join(peer.installs[-1])})")
        return python

    say(f"{name}: building an environment in {environment.relative_to(ENVIRONMENTS.parent)}")
    run_step(name, "python -m venv", [sys.executable, "-m", "venv", "--clear", str(environment)])
    for install in peer.installs:
        say(f"{name}: pip install {' '.join(install)}")
        run_step(name, "pip install", [str(python), "-m", "pip", "install", "-q", *install])
    run_step(name, f"`{peer.check}`", [str(python), "-c", peer.check])
    stamp.write_text(recipe)
    say(f"{name}: ready")
    return python


def interpreter_of(name: str) -> Path:
    """The interpreter to run a peer's script with; builds its environment when needed."""
    return build(name)


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the environments of the peers.")
    parser.add_argument("peers", nargs="*", metavar="peer", help=f"{', '.join(PEERS)} (all)")
    parser.add_argument("--again", action="store_true", help="build anew what is there already")
    arguments = parser.parse_args()
    if unknown := set(arguments.peers) - set(PEERS):
        parser.error(f"unknown peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    missing = 0
    for name in arguments.peers or PEERS:
        try:
            build(name, again=arguments.again)
        except PeerUnavailableError as error:
            missing += 1
            say(f"{error}\n{name}: not available; the benchmark will leave it out")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
