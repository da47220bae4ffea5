"""A learning rule of your own, in ten lines of plain Python.

``step`` says how one weight moves when its neuron fires: ``pre`` is how active the input was, ``rate`` the
neuron's learning rate, ``offset`` is ``static_offset / √n_features``, to be used as you like. It is
compiled into the simulation on first use. Oja's step, the paper's, follows every input; this one takes
inputs below the offset for noise, so prototypes get a clean background.
"""

import matplotlib.pyplot as plt
import numpy as np

from lethenet import ControlledForgettingClassifier
from lethenet.data import load
from lethenet.model import Rule


def clean_step(weight, pre, rate, offset):
    """Move towards the input where it is above the offset, towards zero elsewhere."""
    seen = pre if pre > offset else 0.0
    return weight + rate * (seen - weight)


digits = load("digits")
in_turn = digits.y_train.argsort(kind="stable")
X, y = digits.X_train[in_turn], digits.y_train[in_turn]
rules = {"Oja's step": "oja", "a step of one's own": Rule(step=clean_step)}

figure, axes = plt.subplots(1, 2, figsize=(10, 5.8), layout="compressed")
for ax, (name, rule) in zip(axes, rules.items(), strict=True):
    model = ControlledForgettingClassifier.from_preset(
        "annealed", n_neurons=100, threshold=15.5, random_state=0, stdp=rule, static_offset=0.8
    )
    accuracy = model.fit(X, y).score(digits.X_test, digits.y_test)
    bare = (model.weights_ < 0.01).mean()
    print(f"{name}: {accuracy:.1%} of test samples right, {bare:.0%} of weights near zero")
    by_digit = model.label_counts_.argmax(axis=1).argsort(kind="stable")
    images = model.weights_[by_digit].reshape(10, 10, *digits.image_shape)
    framed = np.pad(images, ((0, 0), (0, 0), (0, 1), (0, 1)))
    sheet = framed.transpose(0, 2, 1, 3).reshape(10 * 9, 10 * 9)
    ax.imshow(sheet, cmap="magma", vmax=0.4)
    ax.set_axis_off()
    ax.set_title(f"{name}\n{accuracy:.1%} right, {bare:.0%} of weights near zero")
plt.show()
