"""How all figures look: colours that colour-blind readers tell apart, and marks for grey print."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
"""Okabe and Ito's palette without its yellow, which is hard to see on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1, 1.4)), (0, (6, 1.5, 1, 1.5)))
HATCHES = ("", "////", "....", "xxxx")
GREY = "#5f6368"
PALE = "#d5d8dc"
HEADING = "heading"
"""Marks what names a figure on its own."""
STRIP = 0.55
"""Inches on top of a figure for its heading."""

RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 10,
    "axes.labelsize": 10.5,
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "#e4e6e9",
    "grid.linewidth": 0.8,
    "xtick.color": "#303438",
    "ytick.color": "#303438",
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path",  # glyphs as outlines: no font is needed to read the file
    "svg.hashsalt": "lethenet",  # the same bytes for the same data
    "text.parse_math": False,  # names of tasks may hold any character
}


class SeriesStyle(NamedTuple):
    """How one of several lines is told from the others: by colour, marker and dashes."""

    color: str
    marker: str
    linestyle: Any


def series_style(number: int) -> SeriesStyle:
    """The style of the ``number``-th line; 70 of them differ in colour or marker.

    >>> series_style(0)
    SeriesStyle(color='#0072B2', marker='o', linestyle='solid')
    >>> len({series_style(number)[:2] for number in range(70)})
    70
    """
    return SeriesStyle(
        COLOURS[number % len(COLOURS)],
        MARKERS[number % len(MARKERS)],
        DASHES[number // len(COLOURS) % len(DASHES)],
    )


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Run ``draw`` with our settings and leave matplotlib's own as they were."""

    @functools.wraps(draw)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        require_matplotlib()
        from matplotlib import rcParams

        # Not rc_context, which restores everything: pyplot may be imported meanwhile, and a notebook's
        # backend says then, once and for all, that it is interactive
        before = {name: rcParams[name] for name in RC}
        rcParams.update(RC)
        try:
            return draw(*args, **kwargs)
        finally:
            rcParams.update(before)

    return wrapper


def require_matplotlib() -> None:
    """ImportError that says what to install, if matplotlib is not there."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        message = "Figures need matplotlib: pip install matplotlib."
        raise ImportError(message, name="matplotlib") from error


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, independent of pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure as :func:`new_figure` makes it, and axes that fill it."""
    figure = new_figure(width, height)
    return figure, figure.add_subplot()


def plain(text: object, limit: int = 24) -> str:
    """Text from outside, fit to be drawn: printable, on one line, and not too long.

    >>> plain("night\\nflight")
    'night flight'
    >>> plain("a" * 30, limit=8)
    'aaaaaaa…'
    """
    clean = "".join(
        " " if unicodedata.category(character)[0] in "CZ" else character for character in str(text)
    ).strip()
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def name_figure(figure: Figure, heading: str, run: str) -> Figure:
    """Heading and run in a strip on top of the figure, which a page leaves out: it has its own."""
    engine: Any = figure.get_layout_engine()
    width, height = map(float, figure.get_size_inches())
    whole = height + STRIP
    figure.set_size_inches(width, whole)
    engine.set(rect=(0, 0, 1, height / whole))
    left, top = 0.1 / width, 1 - 0.1 / whole
    texts = (
        figure.suptitle(heading, x=left, y=top, ha="left", va="top", fontsize=12, weight="bold"),
        figure.text(left, top - 0.25 / whole, plain(run, 110), va="top", fontsize=9, color=GREY),
    )
    for text in texts:
        text.set_gid(HEADING)
        text.set_in_layout(False)
    return figure


def strip_share(figure: Figure) -> float:
    """Which share of the figure's height is taken by the strip with its heading."""
    engine = figure.get_layout_engine()
    rect = engine.get().get("rect", (0, 0, 1, 1)) if engine is not None else (0, 0, 1, 1)
    return float(1 - rect[3])


def name_ticks(ax: Axes, names: Sequence[str], *, axis: str = "x", start: int = 1) -> None:
    """One tick per name; long names are slanted, and many are thinned out."""
    longest = max((len(plain(name, 14)) for name in names), default=0)
    slanted = axis == "x" and longest * min(len(names), 26) > 60
    step = -(-len(names) // (13 if slanted else 26))
    places = range(start, start + len(names), step)
    shown = [plain(name, 14) for name in names[::step]]
    slant = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    look: dict[str, Any] = {"parse_math": False, **slant}
    (ax.set_xticks if axis == "x" else ax.set_yticks)(list(places), shown, **look)


def moved_apart(values: Sequence[float], gap: float, top: float) -> list[float]:
    """Move values apart until neighbours are ``gap`` from each other and none is above ``top``.

    >>> moved_apart([1.0, 1.0, 5.0], gap=0.5, top=10.0)
    [0.75, 1.25, 5.0]
    """
    from sklearn.isotonic import isotonic_regression

    order = np.argsort(values, kind="stable")
    steps = gap * np.arange(len(values))
    # without the steps between neighbours, "at least a gap apart" is "not falling"
    level = isotonic_regression(np.asarray(values, float)[order] - steps)
    placed = np.empty(len(values))
    placed[order] = steps + np.minimum(level, top - steps[-1])
    return placed.tolist()


def ink(red: float, green: float, blue: float) -> str:
    """Black or white, whichever has the higher contrast on this background (values from 0 to 1).

    >>> ink(1.0, 1.0, 1.0), ink(0.0, 0.2, 0.5)
    ('black', 'white')
    """
    srgb = np.array([red, green, blue])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return "black" if luminance > 0.179 else "white"  # where both contrasts are equal
