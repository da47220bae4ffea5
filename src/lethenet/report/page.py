"""The pieces of pages as functions, for packages that do not write templates of their own yet."""

from __future__ import annotations

from .html import Html, inside
from .rendering import macros, render


def page(title: str, header: Html, main: Html, footer: str) -> str:
    """A whole document."""
    return render("page.html", title=title, header=header, main=main, footer=footer)


def section(anchor: str, title: str, *content: Html | None) -> Html:
    """A part of the page with a heading that can be linked to."""
    return Html(macros().section(anchor, title, inside(*content)))


def contents(sections: list[tuple[str, str]]) -> Html:
    """Links to the parts of the page: (anchor, title) each."""
    return Html(macros().contents(sections))


def picture(uri: str, title: str, caption: str, alt: str, *, medium: bool = True) -> Html:
    """A figure with its heading and caption; on narrow screens the picture scrolls in its box."""
    return Html(macros().picture(uri, title, caption, alt, medium))
