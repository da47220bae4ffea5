"""Stop, save, load, go on: to the same bits.

One network learns without a break. Another is saved halfway, forgotten, loaded from its file and goes on. A
model file holds the complete state, random numbers included, so both end up the same in every bit.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import lethenet
from lethenet import ControlledForgettingClassifier
from lethenet.data import load

digits = load("digits")
in_turn = digits.y_train.argsort(kind="stable")
batches = np.array_split(in_turn, 26)  # about 50 samples each


def learn(model, batch):
    """Learn a batch, then say the accuracy on all test samples."""
    model.partial_fit(digits.X_train[batch], digits.y_train[batch], classes=range(10))
    return model.score(digits.X_test, digits.y_test)


settings = {"n_neurons": 120, "threshold": 15.5, "random_state": 0}
unbroken = ControlledForgettingClassifier.from_preset("annealed", **settings)
course = [learn(unbroken, batch) for batch in batches]

model = ControlledForgettingClassifier.from_preset("annealed", **settings)
before = [learn(model, batch) for batch in batches[:13]]
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "half.safetensors"
    lethenet.save(model, path)
    del model  # all that is left is the file
    size = path.stat().st_size
    model = lethenet.load(path)
after = [learn(model, batch) for batch in batches[13:]]
same = np.array_equal(model.weights_.view(np.int32), unbroken.weights_.view(np.int32))
print(f"file of {size / 1000:.0f} kB; all bits of the weights are the same afterwards: {same}")

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4.2), layout="constrained", width_ratios=[2, 1]
)
left.plot(range(1, 27), course, color="#d5d8dc", linewidth=9, label="without a break")
left.plot(range(1, 14), before, "o-", color="#0072B2", label="saved …")
left.plot(range(14, 27), after, "o-", color="#D55E00", label="… and loaded, it goes on")
left.axvline(13.5, color="black", linestyle="--", linewidth=1)
left.set(xlabel="Batches learned, digits strictly in turn", ylabel="Accuracy on all ten digits")
left.yaxis.set_major_formatter("{x:.0%}")
left.legend(frameon=False)
left.spines[["top", "right"]].set_visible(False)
right.plot(unbroken.weights_.ravel(), model.weights_.ravel(), ".", color="#D55E00", markersize=2)
right.set(xlabel="Weights without a break", ylabel="Weights, saved and loaded", aspect="equal")
right.set_title("the same bits" if same else "NOT the same bits")
plt.show()
assert same
