"""Pages from Jinja2 templates: whatever is not marked as HTML is escaped.

Another package's template says ``{% extends "page.html" %}`` to look like ours, and is rendered by
``render("findings.html", package="that_package", ...)`` from that package's folder ``templates``.
"""

from __future__ import annotations

import re
from functools import cache
from inspect import getmembers, isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import wording

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = "lethenet.report"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@cache
def environment(package: str = HERE) -> Environment:
    """The templates of a package, then those of this room; all but ``*.md`` are escaped.

    The functions of ``wording`` are filters: ``{{ share|percent }}``.

    >>> environment().from_string("{{ name }}: {{ share|percent(1) }}").render(name="<b>", share=0.5)
    '&lt;b&gt;: 50.0\\xa0%'
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, HERE))]),
        autoescape=select_autoescape((), ("md",), default_for_string=True, default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(getmembers(wording, isfunction))
    made.globals["NONE"] = wording.NONE
    return made


def write_page(target: Path, page: str) -> Path:
    """Put a page into its place in one step; its path."""
    from ..interchange import replacing

    with replacing(target) as draft:
        draft.write_text(page, "utf-8")
    return target


def render(template: str, *, package: str = HERE, **values: Any) -> str:
    """A template as text; control characters, which no page may hold, are replaced.

    >>> render("page.html")[:15]
    '<!DOCTYPE html>'
    """
    return _CONTROL.sub("\ufffd", environment(package).get_template(template).render(values))
