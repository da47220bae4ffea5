"""HTML from Python values, for packages that do not write templates of their own yet."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup as Html
from markupsafe import escape

from .rendering import macros

Child = str | Iterable["str | None"] | None


def tag(name: str, /, *children: Child, **attributes: object) -> Html:
    """An element. ``class_`` stands for class, ``aria_label`` for aria-label; None leaves one out.

    Examples
    --------
    >>> tag("p", "a < b ", tag("b", "bold"), class_="note")
    Markup('<p class="note">a &lt; b <b>bold</b></p>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{inside(*children)}</{name}>")


def inside(*children: Child) -> Html:
    """Children one after the other, each escaped unless it is HTML; None is nothing.

    Examples
    --------
    >>> inside("&", None, [Html("<br>"), "!"])
    Markup('&amp;<br>!')
    """
    return Html("").join(
        child if isinstance(child, str) else inside(*child)
        for child in children
        if child is not None
    )


def table(
    caption: str,
    header: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    class_: str | None = None,
    marked: Iterable[tuple[int, int]] = (),
) -> Html:
    """A table with a caption; the first cell of each row is its heading, ``marked`` ones are strong."""
    return Html(macros().table(caption, header, rows, class_, set(marked)))


def scrolling(content: Html, label: str, class_: str = "wide") -> Html:
    """A box that scrolls sideways by itself; the keyboard reaches it, too."""
    return Html(macros().scrolling(content, label, class_))
