"""A figure as the bytes of a file, and as a picture inside a page."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .style import strip_share, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("png", "svg")
DPI = 160
"""Of PNG files."""
MAX_SVG_BYTES = 400_000
"""A larger drawing goes into a page as PNG."""


class Drawing:
    """A figure that is rendered at most once per kind of file, for folder and page alike."""

    def __init__(self, figure: Figure) -> None:
        self._figure, self._strip = figure, strip_share(figure)
        self._contents: dict[str, bytes] = {}

    def content(self, kind: str) -> bytes:
        """The bytes of a file of this kind."""
        if kind not in self._contents:
            self._contents[kind] = rendered(self._figure, kind)
        return self._contents[kind]

    def write(self, folder: Path, name: str, kinds: Sequence[str] = KINDS) -> list[Path]:
        """Write ``NAME.png`` and ``NAME.svg``, or one of them, each moved into place when complete."""
        from ..interchange import replacing

        folder.mkdir(exist_ok=True)
        paths = [folder / f"{name}.{kind}" for kind in kinds]
        for path, kind in zip(paths, kinds, strict=True):
            with replacing(path) as draft:
                draft.write_bytes(self.content(kind))
        return paths

    @property
    def shown(self) -> str:
        """The kind that a page shows: SVG, or PNG if that would be too large."""
        images = [image.get_array() for ax in self._figure.axes for image in ax.images]
        pixels = sum(array.size for array in images if array is not None)
        # its images alone may be too large, so that no SVG need be made to see it
        large = pixels > MAX_SVG_BYTES or len(self.content("svg")) > MAX_SVG_BYTES
        return "png" if large else "svg"

    @property
    def data_uri(self) -> str:
        """A ``data:`` address: SVG without the strip of its heading, or PNG if that is too large."""
        if self.shown == "png":
            return data_uri("png", self.content("png"))
        return data_uri("svg+xml", _cut_top(self.content("svg"), self._strip))


@styled
def rendered(figure: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file of this kind ("png" or "svg"); the same data, the same bytes.

    The layout is made once. The backends are called directly, because ``savefig`` draws a figure that
    has a layout twice.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer, before = io.BytesIO(), figure.get_dpi()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
            figure.set_layout_engine("none")
        try:
            canvas: Any = (FigureCanvasSVG if kind == "svg" else FigureCanvasAgg)(figure)
            if kind == "svg":
                canvas.print_svg(buffer, metadata={"Date": None})
            else:
                figure.set_dpi(DPI)
                canvas.print_png(buffer)
        finally:
            figure.set_dpi(before)
    return buffer.getvalue()


def _cut_top(svg: bytes, share: float) -> bytes:
    """The drawing without a share of its height at the top."""

    def cut(found: re.Match[bytes]) -> bytes:
        width, height = map(float, found.groups())
        rest = height * (1 - share)
        box = f"0 {height - rest:.3f} {width:g} {rest:.3f}"
        return f'width="{width:g}pt" height="{rest:.3f}pt" viewBox="{box}"'.encode()

    pattern = rb'width="([0-9.]+)pt" height="([0-9.]+)pt" viewBox="[0-9. ]+"'
    return re.sub(pattern, cut, svg, count=1) if share else svg


def data_uri(kind: str, content: bytes) -> str:
    """A picture as a ``data:`` address."""
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
