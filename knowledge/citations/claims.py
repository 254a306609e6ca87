"""An answer taken apart: its sentences, what each cites, and what it quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.scope import KnowledgeScope

URL = re.compile(r"knowledge:(?P<scope>[\w.-]+)/(?P<id>[A-Za-z][A-Za-z0-9_-]*)")
END = re.compile(r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-ZÄÖÜÀ-Þ0-9])|\n+")
CITATION_ALONE = re.compile(r"[\s\[\]().,;:*-]*")
QUOTED = re.compile(r"“([^”]{3,})”|\"([^\"]{3,})\"|„([^“]{3,})“|«([^»]{3,})»")
MARKUP = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s+|[*_`#]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer as a person reads it, with the ids it cites, in order and each once.

    ``foreign`` are urls of another scope than the answer's, which cite nothing here.
    """

    text: str
    cited: tuple[str, ...]
    foreign: tuple[str, ...]

    @property
    def quotes(self) -> tuple[str, ...]:
        return tuple(next(part for part in match.groups() if part) for match in QUOTED.finditer(self.text))


def claims_of(answer: str, scope: KnowledgeScope) -> tuple[Claim, ...]:
    """Every sentence that says something; a line with nothing but citations belongs to the sentence before it."""
    found: list[Claim] = []
    for piece in _pieces(answer):
        urls = [(match["scope"], match["id"]) for match in URL.finditer(piece)]
        cited = tuple(dict.fromkeys(key for of, key in urls if of == scope.slug))
        foreign = tuple(dict.fromkeys(f"knowledge:{of}/{key}" for of, key in urls if of != scope.slug))
        words = " ".join(MARKUP.sub("", URL.sub(" ", piece)).split())
        if CITATION_ALONE.fullmatch(words):
            if found and urls:
                last = found.pop()
                found.append(_joined(last, cited, foreign))
            elif urls:
                found.append(Claim("", cited, foreign))
            continue
        found.append(Claim(words, cited, foreign))
    return tuple(found)


def _pieces(answer: str) -> Iterator[str]:
    """Sentences, with a citation that follows a full stop kept at the sentence before it."""
    start = 0
    for match in END.finditer(answer):
        yield answer[start : match.start()]
        start = match.end()
    yield answer[start:]


def _joined(last: Claim, cited: tuple[str, ...], foreign: tuple[str, ...]) -> Claim:
    return Claim(
        last.text, tuple(dict.fromkeys((*last.cited, *cited))), tuple(dict.fromkeys((*last.foreign, *foreign)))
    )
