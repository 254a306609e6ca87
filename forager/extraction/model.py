"""The values that extraction passes along. All frozen; spans are code points into the source's stored text."""

from dataclasses import dataclass

from forager.parsing.document import Block

SAID_ONLY = ("s", "mo")
"""Base units nobody reads spans of time in."""


@dataclass(frozen=True, slots=True)
class Context:
    """What surrounds every sentence of a document.

    ``date`` is the document's own date as ISO, or empty; ``anchor`` is it or the first whole day the text names, by
    which a day without a year is placed; ``known`` are the names its text speaks of, as written;
    ``is_marked_up`` says that links and emphasis are marks of the notation, not words.
    """

    title: str
    name: str
    date: str
    known: tuple[str, ...] = ()
    is_marked_up: bool = False
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A candidate statement: ``text`` is the stored text from ``start`` to ``end``; ``language`` is en, de or fr."""

    start: int
    end: int
    text: str
    block: Block
    language: str


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value in a sentence. ``value`` is canonical: comparing two of one type needs nothing else.

    ``bound`` is ``""``, ``min``, ``max`` or ``about``; ``entry`` names the vocabulary entry that matched. Alternatives
    of an ambiguous value are joined by ``|``, the ends of a range by ``..``.
    """

    type: str
    value: str
    raw: str
    start: int
    end: int
    unit: str = ""
    bound: str = ""
    entry: str = ""
    said: str = ""

    @property
    def shown(self) -> str:
        """As understood: in the unit it was said in, and in the base unit where that is another (“1.5 t = 1500 kg”)."""
        canonical = f"{self.value} {self.unit}".strip()
        if not self.said or self.type != "quantity" or self.unit in SAID_ONLY or self.said == canonical:
            return self.said or canonical
        return f"{self.said} = {canonical}"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a sentence stands by how it is said; ``reason`` quotes the word that decided."""

    support: str
    reason: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Polarity:
    """Whether something is asserted, allowed, required …: ``dimension`` names the scale, ``sign`` is + or −."""

    dimension: str
    sign: str
    cue: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """``subject | attribute = value``; ``origin`` says what named the subject: sentence, heading, title, table."""

    subject: str
    origin: str
    attribute: str
    value_raw: str
    value: str
    value_type: str
    unit: str = ""
    bound: str = ""
    polarity: str = "+"
    modality: str = ""
    qualifiers: tuple[str, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    rule: str = ""
    shown: str = ""
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the conflict pass compares: one value with the words around it.

    ``own`` are the stems of the sentence without its values, ``context`` those of title, headings and lead-in,
    ``qualifiers`` are ``family:value`` pairs that keep claims apart (an environment, a weekday, an identifier).
    ``replaces`` is the value that a correction says was there before; ``is_named`` says that the key's subject is a
    proper name of the sentence's own. ``names`` are those of its own words that are written as names, ``section``
    is the heading they stand under.
    """

    type: str
    value: str
    raw: str
    unit: str
    bound: str
    own: tuple[str, ...]
    context: tuple[str, ...]
    qualifiers: tuple[str, ...]
    head: tuple[str, ...] = ()
    row: tuple[str, ...] = ()
    key: str = ""
    change: bool = False
    replaces: str = ""
    shown: str = ""
    is_named: bool = False
    names: tuple[str, ...] = ()
    section: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a statement; ``facts`` holds what the text itself says of it (an address, another name)."""

    name: str
    type: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """One statement as read from one place; ``values`` are the typed values it holds, as understood."""

    text: str
    type: str
    start: int
    end: int
    location: str
    locator: dict[str, str | int]
    standing: Standing
    confidence: float
    frame: Frame | None = None
    values: tuple[str, ...] = ()
    effective_date: str = ""
    claims: tuple[Claim, ...] = ()
    mentions: tuple[Mention, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extractor:
    """What read a statement out of a text."""

    name: str
    version: str
