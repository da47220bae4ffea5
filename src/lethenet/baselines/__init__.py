"""What a user would try instead: k-means, online, in small batches, and offline.

All of them learn prototypes without labels and are read out like the networks (:class:`Learner`):
``learn(X)`` in the order of the stream, ``assign(X, y)`` labels to prototypes on training samples,
``predict(X)``. Like the networks, they see only the direction of a sample, not its length.

>>> import numpy as np
>>> from lethenet.baselines import OnlineKMeans
>>> X, y = np.eye(3).repeat(4, axis=0), np.arange(3).repeat(4)
>>> OnlineKMeans(12).learn(X).assign(X, y).predict(np.eye(3))
array([0, 1, 2])
"""

from .learner import Learner, unit_rows
from .minibatch_kmeans import MiniBatches
from .online_kmeans import OnlineKMeans
from .spherical_kmeans import SphericalKMeans

__all__ = ["Learner", "MiniBatches", "OnlineKMeans", "SphericalKMeans", "unit_rows"]
