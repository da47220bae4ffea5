"""Numbers as the report prints them: accuracies are in percent here, differences in points."""

from __future__ import annotations

from collections.abc import Iterable

from lethenet.report.wording import NONE

from ..paper.scales import Point


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


def plain(value: float | None, digits: int = 2) -> str:
    """A number that only shows a sign if it is negative.

    >>> plain(1.17), plain(-0.5), plain(None)
    ('1.17', '−0.50', '–')
    """
    return NONE if value is None else f"{value:.{digits}f}".replace("-", "−")


def of(count: int, total: int) -> str:
    """So many of so many.

    >>> of(3, 112), of(112, 112)
    ('3 of 112', 'all 112')
    """
    return f"all {total}" if count == total else f"{count} of {total}"


def epochs(count: int) -> str:
    """A number of epochs.

    >>> epochs(1), epochs(5)
    ('1 epoch', '5 epochs')
    """
    return f"{count} epoch{'' if count == 1 else 's'}"


def place(point: Point) -> str:
    """A cell of Table 1 within its size.

    >>> place(Point(400, 13.5, 5))
    'threshold 13.5, 5 epochs'
    """
    return f"threshold {point.threshold:g}, {epochs(point.epochs)}"


def span(counts: Iterable[int]) -> str:
    """From the smallest to the largest, or the one that all are.

    >>> span([5, 3, 10]), span([5, 5])
    ('3 to 10', '5')
    """
    found = sorted(set(counts))
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
