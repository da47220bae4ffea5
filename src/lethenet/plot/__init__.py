"""Pictures of a network and of what happens in it, from two lines.

Of a model, which is an estimator, a pipeline or a :class:`~lethenet.model.Network`: ``weights``, ``usage``,
``links``, and ``animate`` for a film of it learning. Of a :class:`~lethenet.model.Recording`: ``raster``,
``potentials`` and ``race``. Each takes ``ax`` and returns the axes. Drawing needs matplotlib
(``pip install matplotlib``); importing this room does not.

>>> from lethenet import plot
>>> plot.__all__
['animate', 'links', 'potentials', 'race', 'raster', 'usage', 'weights']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .film import animate as animate
    from .networks import links as links
    from .networks import usage as usage
    from .networks import weights as weights
    from .recordings import potentials as potentials
    from .recordings import race as race
    from .recordings import raster as raster

__getattr__, __dir__, __all__ = attach(__name__)
