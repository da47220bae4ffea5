"""Pages from Jinja2 templates: whatever is not marked as HTML is escaped.

Another package renders its own templates with the same frame and pieces::

    render("findings.html", package="that_package", title="Findings", ...)

where ``templates/findings.html`` of that package says ``{% extends "page.html" %}`` and
``{% import "macros.html" as macros %}``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from . import wording

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = "lethenet.report"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@cache
def environment(package: str = HERE) -> Environment:
    """The templates of a package (in its folder ``templates``), then those of this room.

    ``wording``'s functions are filters: ``{{ share|percent }}``.

    Examples
    --------
    >>> environment().from_string("{{ name }}: {{ share|percent(1) }}").render(name="<b>", share=0.5)
    '&lt;b&gt;: 50.0\\xa0%'
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    packages = dict.fromkeys((package, HERE))
    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update({name: getattr(wording, name) for name in wording.FORMATS})
    made.globals["NONE"] = wording.NONE
    return made


def render(template: str, *, package: str = HERE, **values: Any) -> str:
    """A template as text; control characters, which no page may hold, are replaced.

    Examples
    --------
    >>> render("page.html", title="A & B", header="", main="<p>", footer="end")[:15]
    '<!DOCTYPE html>'
    """
    return _CONTROL.sub("\ufffd", environment(package).get_template(template).render(values))


def macros() -> Any:
    """The macros of ``macros.html`` as functions that return safe HTML.

    Examples
    --------
    >>> "<td>&lt;1</td>" in macros().table("Two", ["a", "b"], [["x", "<1"]])
    True
    """
    return environment().get_template("macros.html").module
