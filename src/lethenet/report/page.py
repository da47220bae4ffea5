"""The frame of a page: one file, no script, nothing fetched, light and dark, wide and narrow."""

from __future__ import annotations

from .html import Html, inside, tag

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""Tells the browser itself to fetch nothing."""

CSS = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #545b64; --paper: #ffffff; --box: #f4f6f8;
  --line: #d5dae0; --accent: #0a5c94; --warn: #8a3b00; --warn-box: #fff3e6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a9b1ba; --paper: #14171a;
  --box: #1f2429; --line: #3a424a; --accent: #7cc0f2; --warn: #ffc58a; --warn-box: #33261a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .8rem; padding-top: .9rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 2.2rem 0 .6rem; }
p, li, figcaption { max-width: 46rem; overflow-wrap: anywhere; }
h1, h2, h3, dd { overflow-wrap: anywhere; }
a { color: var(--accent); }
.lead { color: var(--soft); margin: 0; }
.note { border-left: 4px solid var(--warn); background: var(--warn-box); padding: .7rem 1rem;
  border-radius: 0 6px 6px 0; margin: 1.2rem 0; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0;
  margin: 1.2rem 0 0; }
dl.headline { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr));
  gap: .9rem; margin: 0; }
dl.headline > div { background: var(--box); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem .9rem; }
dl.headline dt { font-weight: 600; }
dl.headline dd { margin: 0; }
dl.headline dd.value { font-size: 1.65rem; font-weight: 650; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
dl.headline dd.what { color: var(--soft); font-size: .9rem; line-height: 1.4; }
dl.headline > div.first { border-color: var(--accent); border-width: 2px; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide:focus-visible, summary:focus-visible, a:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .93rem; }
caption { text-align: left; color: var(--soft); padding: 0 0 .5rem; font-size: .93rem; }
th, td { padding: .34rem .75rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td { white-space: nowrap; }
thead th { min-width: 5.2rem; }
thead th:first-child { min-width: 0; }
th[scope=row] { max-width: 24rem; }
table.measures th[scope=row] { min-width: 9.5rem; }
caption span { display: block; position: sticky; left: 0; width: fit-content;
  max-width: min(50rem, calc(100vw - 2.6rem)); overflow-wrap: anywhere; }
th:first-child, table.words td, table.words th { text-align: left; }
thead th { border-bottom: 2px solid var(--soft); vertical-align: bottom; }
th[scope=row] { font-weight: 500; }
td strong { color: var(--accent); }
table.words td { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
figure { margin: 0 0 1rem; }
figure img { display: block; width: 100%; height: auto; }
.picture { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: .8rem;
  overflow-x: auto; margin: 0 0 .8rem; }
figure.medium .picture { max-width: 50rem; }
figcaption { color: var(--ink); font-size: .97rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: .92em; }
summary { cursor: pointer; font-weight: 600; padding: .5rem 0; }
footer { color: var(--soft); font-size: .88rem; margin: 3.5rem auto 2.5rem; }
@media (max-width: 40rem) { h1 { font-size: 1.5rem; } header { padding-top: 1.4rem; }
  .picture { padding: .4rem; } .picture img { min-width: 34rem; } }
@media print { body { font-size: 10.5pt; } figure, dl.headline > div { break-inside: avoid; }
  h2, h3 { break-after: avoid; } nav { display: none; } }
"""


def page(title: str, header: Html, main: Html, footer: str) -> str:
    """A whole document.

    Examples
    --------
    >>> page("A & B", Html("<h1>A</h1>"), Html("<p>B</p>"), "end")[:15]
    '<!DOCTYPE html>'
    """
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(CSS)),
    )
    body = tag("body", tag("header", header), tag("main", main), tag("footer", tag("p", footer)))
    return "<!DOCTYPE html>\n" + tag("html", head, "\n", body, lang="en") + "\n"


def section(anchor: str, title: str, *content: Html | None) -> Html:
    """A part of the page with a heading that can be linked to."""
    return tag("section", tag("h2", title, id=anchor), inside(*content), "\n")


def contents(sections: list[tuple[str, str]]) -> Html:
    """Links to the parts of the page: (anchor, title) each."""
    items = [tag("li", tag("a", title, href=f"#{anchor}")) for anchor, title in sections]
    return tag("nav", tag("ul", items), aria_label="Contents")


def picture(uri: str, title: str, caption: str, alt: str, *, medium: bool = True) -> Html:
    """A figure with its heading and caption; on narrow screens the picture scrolls in its box."""
    image = tag("img", src=Html(uri), alt=alt)
    frame = tag(
        "div", image, class_="picture", role="region", aria_label=f"Picture: {title}", tabindex="0"
    )
    return tag(
        "figure",
        tag("h3", title),
        frame,
        tag("figcaption", caption),
        class_="medium" if medium else None,
    )
