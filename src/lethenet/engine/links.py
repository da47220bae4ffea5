"""The rule of :mod:`lethenet.model.links`, compiled."""

from __future__ import annotations

from ..model import links
from .compiling.kernels import kernel, specialised

_KEY = "links"

place_of = kernel(links.place_of)
weakest_place = kernel(links.weakest_place)
end_link = specialised(kernel(links.end_link), _KEY, place_of=place_of)
strengthen = specialised(
    kernel(links.strengthen),
    _KEY,
    place_of=place_of,
    weakest_place=weakest_place,
    end_link=end_link,
)
link_winners = specialised(
    kernel(links.link_winners), _KEY, end_link=end_link, strengthen=strengthen
)
