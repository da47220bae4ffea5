"""Novelty, seen while learning: how often dopamine fires as the world changes.

Five digits come in turn, then the same five come back with samples that were not shown before. When no
neuron answers a sample, dopamine lets one neuron learn it in one shot: an imprint. New digits bring many,
known ones fewer, and nobody tells the network that anything has changed.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from lethenet.data import disjoint, load
from lethenet.model import ANNEALED, Network, initial_state

digits = load("digits")
halves = [np.array_split(task.indices, 2) for task in disjoint(digits.y_train, classes=range(5))]
parts = [first for first, _ in halves] + [second for _, second in halves]
X = digits.X_train[np.concatenate(parts)]
begins = np.cumsum([0, *map(len, parts)])

network = Network(replace(ANNEALED, threshold=15.25), initial_state(200, 64, seed=0))
novel = network.learn(X).imprints >= 0  # which neuron was imprinted, −1 if none
imprints = np.cumsum(novel)
again = begins[5]  # from here on, digits come back
at_first, later = novel[:again].mean(), novel[again:].mean()
said = f"{at_first:.0%} of samples are novel at first, {later:.0%} when digits come back"
print(said)

figure, ax = plt.subplots(figsize=(10, 5), layout="constrained")
colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]
top = imprints[-1] * 1.3
for number in range(10):
    begin, end = begins[number], begins[number + 1]
    colour = colours[number % 5]
    ax.axvspan(begin, end, color=colour, alpha=0.12, linewidth=0)
    ax.step(range(begin, end), imprints[begin:end], color=colour, linewidth=2.5)
    place = (begin + 8, top * 0.86, 40, top * 0.12)
    picture = ax.inset_axes(place, transform=ax.transData)  # the first novel sample of this digit
    picture.imshow(X[begin + novel[begin:end].argmax()].reshape(digits.image_shape), cmap="Greys")
    picture.set_axis_off()
    share = f"{novel[begin:end].sum()} of {end - begin}"
    ax.text(begin + 28, top * 0.83, share, color=colour, weight="bold", ha="center", va="top")
    at = begin + np.flatnonzero(novel[begin:end])
    ax.plot(at, np.zeros(len(at)) - top * 0.03, "|", color=colour, markersize=9)
ax.axvline(again, color="black", linewidth=1, linestyle="--")
ax.text(again + 6, top * 0.06, "the same digits come back")
ax.set(xlim=(0, len(X)), ylim=(-top * 0.06, top))
ax.set(xlabel="Samples learned; a mark for each novelty", ylabel="Novelties so far")
ax.spines[["top", "right"]].set_visible(False)
ax.set_title(said, loc="left")
plt.show()
