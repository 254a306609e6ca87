"""The words of a DOCX paragraph, run by run, with what makes some of them no evidence."""

from collections.abc import Iterator

from lxml import etree

from forager.parsing.builder import Piece

NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W = f"{{{NAMESPACE}}}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
UNREAD = frozenset((f"{W}del", f"{W}moveFrom", f"{W}pPr", f"{W}instrText", f"{W}delText", FALLBACK))
BOX = f"{W}txbxContent"
FIXED = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""}
OFF = frozenset(("0", "false", "off", "none"))


def attribute(element: etree._Element, name: str) -> str:
    return str(element.get(f"{W}{name}") or "")


def is_on(element: etree._Element | None) -> bool:
    """A switch is on by being there, unless its value says off."""
    return element is not None and attribute(element, "val").lower() not in OFF


def paragraphs_and_tables(body: etree._Element) -> Iterator[etree._Element]:
    """Block elements in order, through content controls and the like, not into tables."""
    pending = list(reversed(list(body)))
    while pending:
        element = pending.pop()
        if element.tag in (f"{W}p", f"{W}tbl"):
            yield element
        elif element.tag not in UNREAD and isinstance(element.tag, str):
            pending.extend(reversed(list(element)))


def pieces_of(paragraph: etree._Element) -> list[Piece]:
    """Words with the reason they are no evidence: 'struck' or 'hidden'."""
    pieces: list[Piece] = []
    pending: list[tuple[etree._Element, str]] = [(child, "") for child in reversed(list(paragraph))]
    while pending:
        element, reason = pending.pop()
        tag = element.tag
        if tag in UNREAD or tag == BOX or not isinstance(tag, str):
            continue
        if tag == f"{W}t":
            pieces.append((element.text or "", reason))
        elif tag in FIXED:
            pieces.append((FIXED[tag], reason))
        else:
            inner = _reason(element) or reason if tag == f"{W}r" else reason
            pending.extend((child, inner) for child in reversed(list(element)))
    return pieces


def text_boxes(element: etree._Element) -> list[etree._Element]:
    """The boxes that hang on a paragraph; of two renderings of one box the first."""
    found: list[etree._Element] = []
    pending = [element]
    while pending:
        at = pending.pop()
        for child in reversed(list(at)):
            if child.tag == BOX:
                found.append(child)
            elif child.tag not in UNREAD and isinstance(child.tag, str):
                pending.append(child)
    return found


def references(element: etree._Element, kind: str) -> Iterator[str]:
    """Ids of the notes a paragraph or table refers to, in order."""
    for reference in element.iter(f"{W}{kind}Reference"):
        yield attribute(reference, "id")


def _reason(run: etree._Element) -> str:
    properties = run.find(f"{W}rPr")
    if properties is None:
        return ""
    if is_on(properties.find(f"{W}vanish")):
        return "hidden"
    struck = is_on(properties.find(f"{W}strike")) or is_on(properties.find(f"{W}dstrike"))
    return "struck" if struck else ""
