"""Numbers and lists as a reader wants to see them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

NONE = "–"
"""Stands where there is no number."""


def percent(share: Any, digits: int = 2) -> str:
    """A share as per cent.

    >>> percent(0.88123), percent(None)
    ('88.12\\xa0%', '–')
    """
    return NONE if not _is_number(share) else f"{100 * share:.{digits}f}\u00a0%"


def points(difference: Any, digits: int = 2, unit: str = "\u00a0points") -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(-0.0312)
    '−3.12\\xa0points'
    """
    if not _is_number(difference):
        return NONE
    value = round(100 * difference, digits)
    sign = "−" if value < 0 else "+" if value > 0 else "±"
    return f"{sign}{abs(value):.{digits}f}{unit}"


def loss(difference: Any, digits: int = 2) -> str:
    """A loss in percentage points: only a gain, which is a negative loss, has a sign.

    >>> loss(0.0312), loss(-0.001)
    ('3.12\\xa0points', '−0.10\\xa0points')
    """
    return points(difference, digits).lstrip("+±")


def rate(value: Any) -> str:
    """Events per sample, comparable down a column.

    >>> rate(0.25), rate(None)
    ('0.250', '–')
    """
    return NONE if not _is_number(value) else f"{value:.3f}"


def number(value: Any) -> str:
    """A count or a mean, with thousands set apart and no more digits than it deserves.

    >>> number(60000), number(0.3712), number(1320000.0), number(3301.47)
    ('60,000', '0.371', '1,320,000', '3,301')
    """
    if not _is_number(value):
        return NONE
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "task"), plural(3, "task")
    ('1 task', '3 tasks')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def joined(parts: Iterable[str], limit: int = 30) -> str:
    """Parts with commas, cut short after ``limit`` of them.

    >>> joined(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    listed = list(parts)
    text = ", ".join(listed[:limit])
    return text if len(listed) <= limit else f"{text} and {len(listed) - limit} more"


def duration(seconds: Any) -> str:
    """A time span in the two largest units.

    >>> duration(12.34), duration(75), duration(3725)
    ('12.3 s', '1 min 15 s', '1 h 2 min')
    """
    if not _is_number(seconds):
        return NONE
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def energy(interval: tuple[float, float]) -> str:
    """An interval of joules in the unit that suits its end.

    >>> energy((1.2e-5, 0.00026)), energy((2e-9, 5e-9))
    ('12 to 260\\xa0µJ', '2 to 5\\xa0nJ')
    """
    unit, size = next((u for u in _UNITS if interval[1] >= u[1]), _UNITS[-1])
    least, most = (float(f"{value / size:.2g}") for value in interval)
    return f"{least:g} to {most:g}\u00a0{unit}"


_UNITS = (("J", 1.0), ("mJ", 1e-3), ("µJ", 1e-6), ("nJ", 1e-9))


def setting(value: Any) -> str:
    """A setting as text.

    >>> setting(None), setting([0, 1]), setting(13.5), setting(True)
    ('–', '0, 1', '13.5', 'yes')
    """
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
