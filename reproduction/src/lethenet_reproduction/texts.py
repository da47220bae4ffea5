"""Pages of Markdown from templates, and the text that somebody wrote beside the results.

What results mean is written by hand, dated, in ``DISCUSSION.md`` beside them. Pages that are made from the
results take it in, each section of it under their own heading of the same name.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

DISCUSSION = "DISCUSSION.md"


def markdown_page(template: str, **values: Any) -> str:
    """A page of Markdown: one of ``templates/``, with these values as they are.

    >>> markdown_page("changing_world.md", neurons=9, seeds="0", table="| a |", discussion="")[:18]
    '# A changing world'
    """
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("lethenet_reproduction"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )


def discussion(folder: Path) -> str:
    """The text beside the results in a folder, without its title; nothing if nobody wrote one."""
    path = folder / DISCUSSION
    return re.sub(r"\A# .*\n+", "", path.read_text("utf-8")).strip() if path.exists() else ""


def discussion_by_section(folder: Path) -> dict[str, str]:
    """The same by heading; what comes before the first one has the heading "".

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / DISCUSSION).write_text("# Title\\n\\nWhen.\\n\\n## Table 1\\n\\nClose.\\n")
    >>> discussion_by_section(folder)
    {'': 'When.', 'Table 1': 'Close.'}
    """
    first, *parts = re.split(r"^## (.*)$", discussion(folder), flags=re.MULTILINE)
    found = {"": first, **dict(zip(parts[::2], parts[1::2], strict=True))}
    return {heading: text.strip() for heading, text in found.items()}


def write_readme(folder: Path, template: str, **values: Any) -> str:
    """Write ``README.md`` of a study from its template, with the discussion in it, and print it."""
    text = markdown_page(template, discussion=discussion(folder), **values)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(text, "utf-8")
    print(text)
    return text
