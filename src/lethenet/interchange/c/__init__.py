"""A network as C for devices: one header, one source, an example, a Makefile and a report of sizes.

The C is that of :class:`lethenet.model.IntegerNetwork`, bit for bit. :class:`.host.HostNetwork` compiles
and calls it from Python.
"""

from .project import write_c
from .sources import c_sources

__all__ = ["c_sources", "write_c"]
