"""HTML: what a reader of the page sees, in order. Scripts and styles are left out, hidden text is excluded."""

import re

from selectolax.lexbor import LexborHTMLParser

from forager.parsing.dates import read_date, stated_near_top
from forager.parsing.document import Document, Ledger, Locator
from forager.parsing.encoding import decode, storable
from forager.parsing.htmlwalk import PageWalk
from forager.parsing.placing import in_order, merged
from forager.parsing.text import invisible_warning

META_DATES = ("article:modified_time", "article:published_time", "date", "dc.date", "dcterms.date", "last-modified")
CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{2,40})", re.IGNORECASE)
PAGE: tuple[str, Locator] = ("Page text", {"kind": "part", "part": "page"})


def parse_html(content: bytes, name: str) -> Document:
    """Section locators where there are headings; the place of what stands above any is the page."""
    declared = CHARSET.search(content[:4096])
    decoded = decode(content, declared[1].decode("ascii") if declared else "")
    tree = LexborHTMLParser(decoded.text)
    walk = walk_page(tree, PAGE)
    text = walk.out.text
    date, date_from = _document_date(tree, text)
    return Document(
        text=text,
        blocks=in_order(walk.out.blocks, len(text)),
        source_type="html",
        media_type="text/html",
        title=_title(tree) or walk.title,
        encoding=decoded.encoding,
        document_date=date,
        document_date_from=date_from,
        excluded=merged(walk.out.excluded, len(text)),
        warnings=(*decoded.warnings, *invisible_warning(text)),
        ledger=Ledger("block", len(walk.out.blocks), len(walk.out.blocks)),
    )


def walk_page(tree: LexborHTMLParser, place: tuple[str, Locator]) -> PageWalk:
    """The blocks of a page; ``place`` is used where no heading stands above."""
    walk = PageWalk.over(tree, place)
    if tree.body is not None:
        walk.run(tree.body)
    return walk


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("head > title")
    return " ".join(storable(node.text() or "").split()) if node is not None else ""


def _document_date(tree: LexborHTMLParser, text: str) -> tuple[str, str]:
    stated = stated_near_top(text[:4000].splitlines())
    if stated[0]:
        return stated
    named: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = node.attributes.get("property") or node.attributes.get("name") or ""
        named.setdefault(key.lower(), node.attributes.get("content") or "")
    for key in META_DATES:
        found = read_date(named.get(key, ""))
        if found:
            return found, f"page metadata: {key}"
    return "", ""
