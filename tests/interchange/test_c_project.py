"""The folder that an export makes: it builds and runs here, fits a small board, and runs in QEMU."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import zoom

from lethenet.data import load
from lethenet.interchange.c import write_c
from lethenet.interchange.c.project import PER_OPERATION, PER_SPIKE, STACK, Samples, ram_bytes
from lethenet.model import ANNEALED, Network, as_bytes, initial_state, quantise

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
needs_arm = pytest.mark.skipif(
    shutil.which("arm-none-eabi-gcc") is None, reason="no arm-none-eabi-gcc"
)
needs_qemu = pytest.mark.skipif(
    shutil.which("qemu-system-arm") is None, reason="no qemu-system-arm"
)
NEURONS = 100
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def learned():
    """100 neurons that have seen digits of 28 × 28 pixels, and some more digits with their labels."""
    data = load("digits")
    rows = np.arange(600)
    large = np.stack([zoom(x.reshape(8, 8), 3.5, order=1) for x in data.X_train[rows] / 16.0])
    X = as_bytes(
        np.clip(2 * large - 0.9, 0, 1).reshape(len(rows), 784)
    )  # strokes as sharp as MNIST's
    network = Network(replace(ANNEALED, threshold=13.5), initial_state(NEURONS, 784, 0))
    network.learn(X[:590])
    return network, Samples(X[590:], data.y_train[rows][590:], "ten digits")


@pytest.fixture(scope="module")
def folder(learned, tmp_path_factory):
    network, samples = learned
    integers = quantise(network)
    integers.labels = np.zeros((NEURONS, 10), np.int64)
    integers.constants = replace(integers.constants, n_classes=10)
    folder = tmp_path_factory.mktemp("device")
    write_c(folder, integers, samples=samples)
    return folder


def make(folder, *targets):
    done = subprocess.run(
        ["make", "--silent", "-C", str(folder), *targets],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000] + done.stdout[:2000]
    return done.stdout


def same_everywhere(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def sections(program, size="size"):
    listed = subprocess.run([size, "-A", program], capture_output=True, text=True, check=True)
    return {name: int(n) for name, n in re.findall(r"^(\.\w+)[\w.]*\s+(\d+)", listed.stdout, re.M)}


def test_the_example_runs_on_this_computer(folder):
    lines = same_everywhere(make(folder))
    assert lines[0].startswith("sample 0: novelty ")
    assert re.fullmatch(r"right \d+ of 10, checksum( \d+){4}", lines[-1])
    assert len(lines) == 21


@pytest.mark.parametrize(("bits", "learning", "most"), [(8, True, 128), (4, False, 64)])
def test_a_network_of_100_neurons_fits(learned, bits, learning, most, tmp_path):
    integers = quantise(learned[0], bits=bits)
    write_c(tmp_path, integers, learning=learning, samples=learned[1])
    compiled = tmp_path / "network.o"
    command = ["cc", "-std=c99", "-Os", "-c", str(tmp_path / "network.c"), "-o", str(compiled)]
    subprocess.run(command, check=True)
    stated = sum(ram_bytes(integers, learning=learning).values())
    found = sections(compiled)
    used = found[".data"] + found[".bss"] + STACK
    assert abs(used - stated) < 300
    assert used <= most * 1024
    weights = 784 * NEURONS * bits // 8
    if (
        not learning
    ):  # also where there is so little flash that the weights have to be copied to RAM
        assert used + weights <= most * 1024
    if shutil.which("arm-none-eabi-gcc"):
        make(tmp_path, "example.elf")
        found = sections(tmp_path / "example.elf", "arm-none-eabi-size")
        assert found[".data"] + found[".bss"] + found[".stack"] <= most * 1024


def test_the_sketch_in_the_documentation_compiles(folder):
    page = (ROOT / "docs/on-a-device.md").read_text("utf-8")
    sketch = re.search(r"```cpp\n(.*?)```", page, re.S)[1]
    board = """
    struct Line {
        void begin(long) {}
        template <class T> void print(T) {}
        template <class T> void println(T) {}
    } Serial;
    void delay(int) {}
    """
    main = "int main() { setup(); loop(); return 0; }"
    (folder / "lethe.cpp").write_text(board + sketch + main)
    built = folder / "network.o"
    subprocess.run(["cc", "-c", str(folder / "network.c"), "-o", str(built)], check=True)
    command = ["c++", "-Wall", "-Wextra", "-Werror", str(folder / "lethe.cpp"), str(built)]
    subprocess.run([*command, "-o", str(folder / "lethe")], check=True)
    subprocess.run([folder / "lethe"], check=True)


@needs_arm
def test_the_linker_knows_how_much_ram_there_is(folder):
    make(folder, "example.elf")
    assert re.search(r"RAM .* LENGTH = 128K", (folder / "cortex_m.ld").read_text())
    mapped = re.search(
        r"^RAM +0x20000000 +0x([0-9a-f]+)", (folder / "example.map").read_text(), re.M
    )
    assert int(mapped[1], 16) == 128 * 1024


@needs_arm
@needs_qemu
def test_a_cortex_m_has_the_same_bits_and_needs_few_instructions(folder):
    here, there = make(folder), make(folder, "qemu")
    assert same_everywhere(there) == same_everywhere(here)
    counted = re.findall(r"# learned: input spikes (\d+), instructions (\d+)", there)
    spikes, instructions = np.array(counted, float).T
    assert len(spikes) == 10
    assert instructions.mean() < 3e6
    stated = spikes.sum() * (PER_SPIKE + PER_OPERATION * NEURONS)
    assert 0.7 < instructions.sum() / stated < 1.3
