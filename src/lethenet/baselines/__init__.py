"""What a user would try instead: k-means, online, in small batches, and offline.

Plain scikit-learn estimators: ``fit`` or, where they learn from a stream, ``partial_fit``; ``predict`` says
which prototype is nearest, ``cluster_centers_`` holds the prototypes. Like the networks, they see only the
direction of a sample, not its length.

>>> import numpy as np
>>> from lethenet.baselines import OnlineKMeans
>>> OnlineKMeans(n_clusters=3).partial_fit(np.eye(3)).predict(5 * np.eye(3))
array([0, 1, 2])
"""

from .directions import unit_rows
from .mini_batches import MiniBatchStream
from .online_kmeans import OnlineKMeans
from .spherical_kmeans import SphericalKMeans

__all__ = ["MiniBatchStream", "OnlineKMeans", "SphericalKMeans", "unit_rows"]
