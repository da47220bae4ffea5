"""Numbers in sentences: accuracies are in percent here, differences in points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lethenet.report.wording import NONE

from ..paper.scales import Point
from ..studies import tables


def pct(value: float | None) -> str:
    """An accuracy in percent.

    >>> pct(87.526), pct(None)
    ('87.53\\xa0%', '–')
    """
    return NONE if value is None else f"{value:.2f}\u00a0%"


def signed(value: float | None, digits: int = 2) -> str:
    """A difference with its sign.

    >>> signed(-0.335), signed(1.0), signed(0.001)
    ('−0.34', '+1.00', '±0.00')
    """
    if value is None:
        return NONE
    rounded = round(value, digits)
    sign = "−" if rounded < 0 else "+" if rounded > 0 else "±"
    return f"{sign}{abs(rounded):.{digits}f}"


def plain(value: float, digits: int = 2) -> str:
    """A number that only shows a sign if it is negative.

    >>> plain(1.17), plain(-0.5)
    ('1.17', '−0.50')
    """
    return f"{value:.{digits}f}".replace("-", "−")


def spread(values: Sequence[float]) -> str:
    """Mean ± sample standard deviation; the mean alone of a single value, a dash of none.

    >>> spread([88.0, 90.0]), spread([88.0]), spread([])
    ('89.00 ± 1.41', '88.00', '–')
    """
    return tables.spread(values).replace("-", "−")


def of(count: int, total: int) -> str:
    """So many of so many.

    >>> of(3, 112), of(112, 112)
    ('3 of 112', 'all 112')
    """
    return f"all {total}" if count == total else f"{count} of {total}"


def share(value: float) -> str:
    """A share as whole per cent.

    >>> share(0.644)
    '64\\xa0%'
    """
    return f"{100 * value:.0f}\u00a0%"


def sentence(text: str) -> str:
    """The same with a capital letter.

    >>> sentence("all 112 cells")
    'All 112 cells'
    """
    return text[:1].upper() + text[1:]


def listed(parts: Iterable[object]) -> str:
    """Parts with commas and a last “and”.

    >>> listed([0, 1, 6]), listed(["a"])
    ('0, 1 and 6', 'a')
    """
    words = [str(part) for part in parts]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def cell(point: Point) -> str:
    """A cell of Table 1 in words.

    >>> cell(Point(400, 13.5, 1))
    '400 neurons, threshold 13.5, 1 epoch'
    """
    return f"{point.neurons} neurons, {place(point)}"


def place(point: Point) -> str:
    """A cell of Table 1 within its size.

    >>> place(Point(400, 13.5, 5))
    'threshold 13.5, 5 epochs'
    """
    return f"threshold {point.threshold:g}, {point.epochs} epoch{'' if point.epochs == 1 else 's'}"


def span(counts: Iterable[int]) -> str:
    """From the smallest to the largest, or the one that all are.

    >>> span([5, 3, 10]), span([5, 5])
    ('3 to 10', '5')
    """
    found = sorted(set(counts))
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def ends(values: Sequence[float]) -> str:
    """The first and the last of a course.

    >>> ends([99.5, 97.0, 95.25])
    '99.50\\xa0% to 95.25\\xa0%'
    """
    return f"{pct(values[0])} to {pct(values[-1])}"
