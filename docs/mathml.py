"""Formulas as MathML, which browsers draw themselves: pages fetch nothing and need no script."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.logging import getLogger
from sphinx.util.math import get_node_equation_number

logger = getLogger(__name__)


def markup(node: nodes.Element, display: str) -> str:
    """The formula as MathML; a warning if it has a command that the converter does not know."""
    found = convert(node.astext(), display=display)
    if "\\" in found:
        logger.warning("no MathML for %r", node.astext(), location=node)
    return found


def in_line(writer: Any, node: nodes.math) -> None:
    """A formula within a sentence."""
    writer.body.append(markup(node, "inline"))
    raise nodes.SkipNode


def displayed(writer: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own, with its number if it has one."""
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    writer.body.append(markup(node, "block"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (in_line, None), (displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
