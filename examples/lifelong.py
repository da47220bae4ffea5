"""A lifelong run with its measures, beside scikit-learn's ``MiniBatchKMeans.partial_fit``.

Both see digit after digit, once. After each digit both are read out with the training samples met so far
and tested on every digit met so far: R[i, j] is the accuracy on digit j after digit i.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.preprocessing import normalize

from lethenet import ControlledForgettingNetwork
from lethenet.data import disjoint, load
from lethenet.lifelong.measures import average_accuracy, forgetting

digits = load("digits")
X, X_test = normalize(digits.X_train), normalize(digits.X_test)  # only directions count
tasks = disjoint(digits.y_train)
learners = {
    "Controlled forgetting": ControlledForgettingNetwork.from_preset(
        "annealed", n_neurons=100, threshold=15.5, random_state=0
    ),
    "MiniBatchKMeans": MiniBatchKMeans(n_clusters=100, random_state=0),
}
matrices = {name: np.full((10, 10), np.nan) for name in learners}

for i, task in enumerate(tasks):
    met = np.concatenate([one.indices for one in tasks[: i + 1]])
    for name, learner in learners.items():
        learner.partial_fit(X[task.indices])
        counts = np.zeros((100, 10))  # for which digits each neuron, or cluster, answers
        np.add.at(counts, (learner.predict(X[met]), digits.y_train[met]), 1)
        answers = counts.argmax(axis=1)[learner.predict(X_test)]
        for j in range(i + 1):
            of_j = digits.y_test == j
            matrices[name][i, j] = (answers[of_j] == j).mean()

figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained", sharey=True)
for ax, (name, R) in zip(axes, matrices.items(), strict=True):
    said = f"ACC {average_accuracy(R):.1%}, forgetting {forgetting(R):.1%}"
    print(f"{name:22} {said}")
    shown = ax.imshow(R, cmap="viridis", vmin=0, vmax=1)
    for i, j in zip(*np.tril_indices(10), strict=True):
        ink = "black" if R[i, j] > 0.6 else "white"
        ax.text(j, i, f"{R[i, j]:.0%}"[:-1], ha="center", va="center", color=ink, fontsize=8)
    ax.set(title=f"{name}\n{said}", xlabel="Tested on digit", xticks=range(10), yticks=range(10))
axes[0].set_ylabel("After learning digit")
figure.colorbar(shown, ax=axes, label="Accuracy", shrink=0.8, format="{x:.0%}")
plt.show()
