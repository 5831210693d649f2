"""HTML: the page's own text as Markdown, without what surrounds it on every page."""

from __future__ import annotations

from ragforge_memory.knowledge.markdown import markdown_blocks
from ragforge_memory.knowledge.parts import ReadDocument, Unreadable, text_of

_AROUND = "nav, script, style, header, footer, aside, noscript, template, iframe, svg, form, head, [hidden]"
# What a page says is its own text; the first that is there and has most of it.
_OWN = ("main", "article", "[role=main]", "body")
_MOST = 0.5


def read_html(data: bytes) -> ReadDocument:
    """A web page."""
    return read_html_text(text_of(data))


def read_html_text(text: str) -> ReadDocument:
    """The same of a text; places are not known."""
    from markdownify import markdownify
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(text)
    named = page.css_first("title")
    title = " ".join(named.text().split()) if named is not None else ""
    if not title and (first := page.css_first("h1")) is not None:
        title = " ".join(first.text().split())
    for each in page.css(_AROUND):
        each.decompose()
    whole = len((page.body.text() if page.body is not None else "").split())
    parts = (page.css_first(name) for name in _OWN)
    own = next((each for each in parts if each is not None and len(each.text().split()) >= _MOST * whole), None)
    html = (own.html if own is not None else page.html) or ""
    try:
        text = markdownify(html, heading_style="ATX", bullets="-", strip=["a", "img"])
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    return ReadDocument(title, markdown_blocks(text))
