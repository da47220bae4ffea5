"""What a user would try instead: k-means in three forms, a self-organising map, fuzzy ART; with labels, class means.

scikit-learn estimators: ``fit`` or, where they learn from a stream, ``partial_fit``. Without labels, ``predict`` says
which prototype is nearest, ``transform`` how far each is, ``cluster_centers_`` holds them; :class:`NearestClassMean`
and :class:`StreamingLDA` are classifiers. Like the networks, they see only the direction of a sample, not its length.

>>> import numpy as np
>>> from lethenet.baselines import OnlineKMeans
>>> OnlineKMeans(n_clusters=3).partial_fit(np.eye(3)).predict(5 * np.eye(3))
array([0, 1, 2])
"""

from .class_means import NearestClassMean, StreamingLDA
from .directions import unit_rows
from .fuzzy_art import FuzzyART
from .mini_batches import MiniBatchStream
from .online_kmeans import OnlineKMeans
from .som import SelfOrganisingMap
from .spherical_kmeans import SphericalKMeans

__all__ = [
    "FuzzyART",
    "MiniBatchStream",
    "NearestClassMean",
    "OnlineKMeans",
    "SelfOrganisingMap",
    "SphericalKMeans",
    "StreamingLDA",
    "unit_rows",
]
