"""The documentation site: ``make docs`` builds it into ``docs/_build``.

Numbers are not typed into pages: tables and figures come from ``results/``, constants from the package.
``{{ preset_table }}`` in a page stands for a table that ``page_tables.py`` makes when the site is built.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from page_tables import (
    ablation_table,
    front_door,
    measures_table,
    preset_table,
    threshold_table,
)
from run_examples import run_all

from lethenet import __version__
from lethenet.lifelong import Config

project, author = "lethenet", "the lethenet authors"
release = version = __version__
html_title = "lethenet"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "mathml",  # beside this file
]
html_math_renderer = "mathml"
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["lethenet.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
pygments_style, pygments_dark_style = "friendly", "monokai"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5a8a",
        "color-brand-content": "#0b5a8a",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc0ea",
        "color-brand-content": "#7cc0ea",
    },
}

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
math_number_all = False

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": True}
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # not all it stands for
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
# Types are prose, such as "array (n_samples, n_features)", and attributes that are properties are
# documented as such: both sections are plain lists, without links and index entries.
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False
toc_object_entries_show_parents = "hide"

RESULTS_LINK = re.compile(r"\]\((?:\.\./)+results/(\w+)/README\.md\)")
RESULTS_FILE = re.compile(r"\]\(([\w-]+\.jsonl?)\)")
ROOMS = (
    "lethenet.saving",
    "lethenet.model",
    "lethenet.estimators",
    "lethenet.data",
    "lethenet.theory",
    "lethenet.lifelong",
    "lethenet.sweeps",
    "lethenet.live",
    "lethenet.interchange",
    "lethenet.baselines",
    "lethenet.report",
    "lethenet.plot",
)


def unfold(room: str) -> None:
    """Put a room's lazy names where autodoc looks for them: into its namespace, as what they are."""
    module = import_module(room)
    for name in getattr(module, "__all__", ()):
        found = getattr(module, name)
        setattr(module, name, getattr(found, "__mro__", (found,))[0])


def skip_foreign(app: Any, what: str, name: str, found: Any, skip: bool, options: Any) -> Any:
    """Leave out what a class inherits from other packages: scikit-learn documents itself."""
    function = getattr(found, "fget", None) or getattr(found, "__func__", found)
    if what in ("class", "exception") and not str(
        getattr(inspect.unwrap(function), "__module__", "")
    ).startswith("lethenet"):
        return True
    return None  # as autodoc would


def link_results(app: Any, page: str, content: list[str]) -> None:
    """Links to ``results/NAME/README.md`` work on a code host; here they go to the site's own page."""
    content[0] = RESULTS_LINK.sub(r"](/results/\1.md)", content[0])


def fit_in(app: Any, path: Any, page: str, content: list[str]) -> None:
    """Make what a page includes fit in.

    No line break within "88.40 ± 0.33"; links to pages and to results files beside the included one work.
    """
    folder = Path(path).parent.as_posix()
    content[0] = content[0].replace(" ± ", "\u00a0±\u00a0").replace("](docs/", "](/")
    content[0] = RESULTS_FILE.sub(rf"](/{folder}/\1)", content[0])  # from the folder of these pages


myst_substitutions = {
    "ablation_table": ablation_table(),
    "default_preset": f"`{Config().preset}`",
    "front_door": front_door(ROOMS),
    "measures_table": measures_table(),
    "preset_table": preset_table(),
    "threshold_table": threshold_table(),
}


def draw_gallery(app: Any) -> None:
    """Run the examples; their figures and output are included by the pages in ``examples/``."""
    run_all(Path(app.srcdir) / "_build" / "examples")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    for room in ROOMS:
        unfold(room)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("builder-inited", draw_gallery)
    app.connect("include-read", fit_in)
    app.connect("source-read", link_results)
