"""The paper's evaluation, done again: Table 1 and what every figure is drawn from.

Seven stages, each with its own file of results in one folder; running again computes what is missing:

* ``fit``: the two constants that the paper does not state, fitted to Table 1 on the small sizes;
* ``table1``: training accuracy of every size, threshold and number of epochs;
* ``final``: the best cell of each size, digits in turn (tested after each) and interleaved;
* ``precision``: small sizes again with dopaminergic weights as in single precision;
* ``visual``: 100 neurons, digits 0 to 3 (a run directory);
* ``kmeans``: the nearest error of k-means networks of the same sizes;
* ``oja``: where the two STDP rules take a weight vector.

``lethenet reproduce`` runs them; :mod:`lethenet_reproduction.paper_report` reports what they found.

>>> from lethenet_reproduction.paper import SCALES
>>> len(SCALES["paper"].points)
112
"""

from __future__ import annotations

from .scales import SCALES, Point, Scale
from .stages import STAGES, reproduce

__all__ = ["SCALES", "STAGES", "Point", "Scale", "reproduce"]
