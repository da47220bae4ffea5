"""First steps: learn the digits strictly in turn, then look at what each neuron remembers.

All zeros come first, then all ones, and so on; nothing ever comes back. Labels are used only after
learning, to say for which digit each neuron fires.
"""

import matplotlib.pyplot as plt
import numpy as np

from lethenet import ControlledForgettingClassifier
from lethenet.data import load

digits = load("digits")  # comes with scikit-learn: 8 × 8 pixels, nothing to download
in_turn = digits.y_train.argsort(kind="stable")
X, y = digits.X_train[in_turn], digits.y_train[in_turn]

model = ControlledForgettingClassifier.from_preset(
    "annealed", n_neurons=150, threshold=15.5, readout="histogram", random_state=0
)
model.fit(X, y)
right = model.predict(digits.X_test) == digits.y_test
print(f"{right.mean():.1%} of the {len(right)} test samples are taken for what they are")

# A row per digit with the neurons that fire for it, those that fire most often first.
digit_of = model.label_counts_.argmax(axis=1)
fires = model.label_counts_.sum(axis=1)
rows = [np.flatnonzero((digit_of == digit) & (fires > 0)) for digit in range(10)]
sheet = np.full((10 * 9, max(map(len, rows)) * 9), np.nan)
for digit, neurons in enumerate(rows):
    for place, neuron in enumerate(neurons[fires[neurons].argsort()[::-1]]):
        image = model.weights_[neuron].reshape(digits.image_shape)
        sheet[digit * 9 : digit * 9 + 8, place * 9 : place * 9 + 8] = image / image.max()

figure, ax = plt.subplots(figsize=(9.6, 5.2), layout="constrained")
ax.imshow(sheet, cmap="magma")
recognised = [right[digits.y_test == digit].mean() for digit in range(10)]
names = [f"{digit}   {share:4.0%}" for digit, share in enumerate(recognised)]
ax.set_yticks(np.arange(10) * 9 + 3.5, names)
ax.set_xticks([])
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
ax.set_ylabel("Digit, and its test accuracy")
ax.set_title("What 150 neurons remember after ten digits in turn", loc="left")
plt.show()
