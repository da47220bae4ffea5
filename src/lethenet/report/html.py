"""HTML from Python values: what is not marked as HTML is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

_VOID = {"img", "meta", "br", "col"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Html(str):
    """Text that is HTML already. Only :func:`tag` and our own templates make it."""

    __slots__ = ()


Child = str | Iterable["str | None"] | None


def text(value: object) -> Html:
    """Any value as harmless HTML.

    Examples
    --------
    >>> text("<script>"), text(Html("<b>"))
    ('&lt;script&gt;', '<b>')
    """
    if isinstance(value, Html):
        return value
    return Html(escape(_CONTROL.sub("\ufffd", str(value)), quote=True))


def tag(name: str, /, *children: Child, **attributes: object) -> Html:
    """An element. ``class_`` stands for class, ``aria_label`` for aria-label; None leaves one out.

    Examples
    --------
    >>> tag("p", "a < b ", tag("b", "bold"), class_="note")
    '<p class="note">a &lt; b <b>bold</b></p>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{inside(*children)}</{name}>")


def inside(*children: Child) -> Html:
    """Children one after the other, each escaped unless it is HTML; None is nothing.

    Examples
    --------
    >>> inside("&", None, [Html("<br>"), "!"])
    '&amp;<br>!'
    """
    parts = []
    for child in children:
        if child is None:
            continue
        parts.append(text(child) if isinstance(child, str) else inside(*child))
    return Html("".join(parts))


def table(
    caption: str,
    header: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    class_: str | None = None,
    marked: Iterable[tuple[int, int]] = (),
) -> Html:
    """A table with a caption, in a box of its own that scrolls when the window is too narrow.

    The first cell of each row is its heading. ``marked`` cells (row, column) are emphasised.

    Examples
    --------
    >>> "<caption><span>Two</span></caption>" in table("Two", ["a", "b"], [["x", "1"]])
    True
    """
    strong = set(marked)
    head = tag("tr", [tag("th", cell, scope="col") for cell in header])
    body = [
        tag(
            "tr",
            [
                tag("th", cell, scope="row")
                if column == 0
                else tag("td", tag("strong", cell) if (number, column) in strong else cell)
                for column, cell in enumerate(row)
            ],
        )
        for number, row in enumerate(rows)
    ]
    whole = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", head),
        tag("tbody", body),
        class_=class_,
    )
    return scrolling(whole, caption)


def scrolling(content: Html, label: str, class_: str = "wide") -> Html:
    """A box that scrolls sideways by itself; the keyboard reaches it, too."""
    return tag("div", content, class_=class_, role="region", aria_label=label, tabindex="0")
