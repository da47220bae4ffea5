"""Inside a presentation: how a network that has met the digits 0 to 5 learns a seven in one shot.

Nobody reaches the threshold, so nobody sets the dopaminergic neuron back: it climbs to its own threshold,
fires, and pushes the least used neuron, which becomes the seven. The recording comes from the exact
simulation and changes no bit of it.
"""

import matplotlib.pyplot as plt
import numpy as np

from lethenet import ControlledForgettingClassifier, plot
from lethenet.data import load

digits = load("digits")
in_turn = digits.y_train.argsort(kind="stable")
met = in_turn[digits.y_train[in_turn] < 6]
model = ControlledForgettingClassifier.from_preset(
    "annealed", n_neurons=60, threshold=15.5, random_state=0
)
model.partial_fit(digits.X_train[met], digits.y_train[met])

for seven in digits.X_train[digits.y_train == 7]:
    recording = model.record(seven, 7, learn=True)
    if recording.imprinted >= 0:
        break
print(f"neuron {recording.imprinted} has become a {model.predict(seven[None])[0]}")

figure = plt.figure(figsize=(12, 7.4), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[3, 1.3])
above, below = left.subplots(2, 1)
plot.raster(recording, ax=above)
plot.potentials(recording, ax=below)
race, *rest = right.subplots(4, 1, height_ratios=[2.2, 1, 1, 1])
plot.race(recording, ax=race).get_legend().remove()
pictures = seven, recording.weights_before[-1], recording.weights_after[-1]
names = "the sample", f"neuron {recording.imprinted} before", "and after"
for ax, picture, name in zip(rest, pictures, names, strict=True):
    ax.imshow(np.reshape(picture, digits.image_shape), cmap="Greys")
    ax.set_axis_off()
    ax.set_title(name)
plt.show()
