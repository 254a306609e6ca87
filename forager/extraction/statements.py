"""A document's statements: sentences with how they stand, what they say and of whom."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from forager.extraction import claims, frames, guard, lexicon, names, standing
from forager.extraction.model import Claim, Context, Extracted, Frame, Mention, Polarity, Sentence, Standing, Value
from forager.extraction.segment import sentences
from forager.extraction.stems import stems
from forager.extraction.values import dates, money, scan, units
from forager.parsing.document import BlockKind, Cell, Document

HEADERS_THAT_STATE = ("from", "von", "de", "sender", "absender")
ALIAS_HEADS = (
    "initials",
    "sign",
    "kürzel",
    "sigle",
    "short",
    "code name",
    "abbr",
    "alias",
    "known as",
    "also known as",
    "nickname",
    "short name",
    "abbreviation",
)
LINK = re.compile(r"!?\[([^\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
EMPHASIS = re.compile(r"(?<![\w*_`])([*_`]{1,3})(\S(?:[^*_`\n]*\S)?)\1(?![\w*_`])")
REVERSED = re.compile(r"(?P<last>[A-ZÄÖÜ][\w’'-]+),\s*(?P<first>[A-ZÄÖÜ][\w’'.-]+(?:\s[A-ZÄÖÜ][\w.]*)?)")
MOST_NAMES = 3
SECTION_SHOWN = 80
ANCHOR_WITHIN = 4000
NAME_HEADS = ("name", "who", "person", "member", "contact", "nom", "mitarbeiter")


def read(document: Document, name: str) -> tuple[Extracted, ...]:
    """All statements of a document in reading order. ``name`` is its path in the base."""
    found = tuple(s for s in sentences(document) if not (_is_salutation(s) or _is_metadata(s)))
    known = {m.name: None for s in found for m in names.mentions(s.text, s.block) if m.type != "identifier"}
    marked_up = document.source_type == "markdown"
    anchor = document.document_date or _first_day(document.text)
    context = Context(document.title, name, document.document_date, tuple(known), marked_up, anchor)
    return guard.guarded(e for sentence in found for e in _of(sentence, context))


def _first_day(text: str) -> str:
    whole = (v.value for v in dates.find(text[:ANCHOR_WITHIN], "") if re.fullmatch(r"\d{4}-\d\d-\d\d", v.value))
    return next(whole, "")


def _is_salutation(sentence: Sentence) -> bool:
    """“Dear Mr Petri,”, “Kind regards”, a bare name under a mail: courtesy, not knowledge."""
    if sentence.block.kind is not BlockKind.PARAGRAPH:
        return False
    text = sentence.text.strip()
    words = text.split()
    greeting = lexicon.pattern("words", "salutations").match(text)
    if greeting and len(words) <= 6 and not text.endswith("."):
        return True
    return len(words) <= 3 and all(w[:1].isupper() for w in words) and not re.search(r"[.:!?\d]$", text)


def _is_metadata(sentence: Sentence) -> bool:
    """“Date: 3 March 2026”, a front matter title: told with the source already."""
    key, colon, _ = sentence.text.partition(":")
    is_line = sentence.block.kind in (BlockKind.KEY_VALUE, BlockKind.PARAGRAPH) and bool(colon)
    return is_line and lexicon.fold(key) in lexicon.load("words")["metadata_keys"]


def _of(sentence: Sentence, context: Context) -> Iterator[Extracted]:
    if sentence.block.kind is BlockKind.TABLE_ROW:
        yield from _row(sentence, context)
    elif sentence.block.kind is BlockKind.MAIL_HEADER:
        yield from _header(sentence)
    else:
        yield _prose(sentence, context)


def _prose(sentence: Sentence, context: Context) -> Extracted:
    stands = standing.standing(sentence)
    values = _apart_from_links(sentence, scan.find(sentence.text, sentence.language, context.date, context.anchor))
    polarities = standing.polarities(sentence.text)
    leads_in = sentence.text.rstrip().endswith(":")
    asserts = not (leads_in or standing.is_question(sentence.text) or standing.is_conditional(sentence.text))
    values = _named_by_key(sentence, values)
    frame = frames.read(sentence, values, polarities, context) if asserts else None
    found: tuple[Claim, ...] = ()
    if asserts and stands.support != "uncertain_inference":
        found = claims.of_sentence(sentence, values, polarities, frame, context)
    spoken_of = tuple(m for m in names.mentions(sentence.text, sentence.block) if not _in_value(m, values))
    mentions = _typed_by(frame, spoken_of)
    who = _who(mentions, sentence)
    if found and not any(c.type == "name" for c in found):
        named = (claims.of_person(name, sentence, values, context) for name in who)
        found = (*found, *(claim for claim in named if len(claim.own) > 1))
    text = _without_marks(sentence.text) if context.is_marked_up else sentence.text
    understood = _understood(found, [v.shown for v in values if v.type != "id"] + who, polarities)
    return _extracted(sentence, text, standing.statement_type(sentence), stands, frame, found, mentions, understood)


def _section(sentence: Sentence) -> str:
    return sentence.block.section[-1][:SECTION_SHOWN] if sentence.block.section else ""


def _apart_from_links(sentence: Sentence, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Without the addresses behind linked words: “[Kandji](https://…)” says nothing of an address."""
    targets = [(m.end(1), m.end()) for m in LINK.finditer(sentence.text)]
    return tuple(v for v in values if v.type != "url" or not any(s <= v.start and v.end <= e for s, e in targets))


def _who(mentions: Sequence[Mention], sentence: Sentence) -> list[str]:
    """The persons, firms and (where common nouns are small) proper names a sentence speaks of, unless they are many."""
    kinds = ("person", "organisation") if sentence.language == "de" else ("person", "organisation", "name", "place")
    named = [m.name for m in mentions if m.type in kinds and (" " in m.name or m.type == "person")]
    return named if len(named) <= MOST_NAMES else []


def _without_marks(text: str) -> str:
    """A Markdown sentence as it is read: the words of a link without its address, emphasis without its marks."""
    return EMPHASIS.sub(r"\2", LINK.sub(r"\1", text))


def _in_value(mention: Mention, values: Sequence[Value]) -> bool:
    """“USD” in “1,200 USD” is part of the amount, no name."""
    return any(v.type in ("money", "quantity", "date") and mention.name in v.raw for v in values)


def _typed_by(frame: Frame | None, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """“The supplier of … is X” says that X is an organisation, “The lead is X” that it is a person."""
    if frame is None or frame.value_type != "name":
        return mentions
    words = lexicon.fold(frame.attribute).split()
    people, firms = lexicon.load("words")["person_attributes"], lexicon.load("words")["organisation_attributes"]
    kind = "person" if any(w in people for w in words) else "organisation" if any(w in firms for w in words) else ""
    if not kind:
        return mentions
    return tuple(
        Mention(m.name, kind, m.facts) if m.type == "name" and lexicon.fold(m.name) == frame.value else m
        for m in mentions
    )


def _header(sentence: Sentence) -> Iterator[Extracted]:
    """A mail's own header line: who wrote to whom. It carries names, not values to compare."""
    if sentence.text.partition(":")[0].strip().casefold() in HEADERS_THAT_STATE:
        found = names.mentions(sentence.text, sentence.block)
        if found:
            stands = Standing("direct_fact", "a header of the message")
            yield _extracted(sentence, sentence.text, "fact", stands, None, (), found)


def _row(sentence: Sentence, context: Context) -> Iterator[Extracted]:
    """One statement for each filled cell of a row, beside the cell that names the row."""
    cells = [c for c in sentence.block.cells if _cell_text(sentence, c)]
    if not cells:
        return
    naming = _naming_cell(sentence, cells, context)
    row = _cell_text(sentence, naming)
    mentions = _row_mentions(sentence, cells)
    stands = Standing("direct_fact", "a cell of a table")
    words = {c.start: said for c in cells if not scan.find(said := _cell_text(sentence, c), sentence.language, "")}
    stated = False
    for cell in cells:
        text = _cell_text(sentence, cell)
        if cell is naming or not cell.head or frames.is_missing(text):
            continue
        value = _priced(_cell_value(text, sentence, context), cell.head)
        frame = Frame(
            row, "table", cell.head, value.raw, value.value, value.type, value.unit, value.bound,
            rule="table cell", shown=value.shown, entry=value.entry,
        )  # fmt: skip
        beside = [said for at, said in words.items() if at not in (cell.start, naming.start)]
        found = claims.of_cell(value, cell, row, beside, sentence, frame, context)
        stated = True
        yield _extracted(sentence, f"{row}: {cell.head}: {text}", "fact", stands, frame, found, mentions)
    if not stated:
        yield _extracted(sentence, " ".join(sentence.text.split()), "fact", stands, None, (), mentions)


def _cell_text(sentence: Sentence, cell: Cell) -> str:
    start = cell.start - sentence.block.start
    return sentence.text[start : start + cell.end - cell.start].strip().strip('"').strip()


def _naming_cell(sentence: Sentence, cells: Sequence[Cell], context: Context) -> Cell:
    """The first cell that is no bare value: what the row is about."""
    for cell in cells:
        values = scan.find(_cell_text(sentence, cell), sentence.language, context.date, context.anchor)
        if not values or values[0].type == "id":
            return cell
    return cells[0]


def _cell_value(text: str, sentence: Sentence, context: Context) -> Value:
    values = scan.find(text, sentence.language, context.date, context.anchor)
    if values and len(values[0].raw) >= 0.5 * len(text):
        return values[0]
    kind = "name" if re.fullmatch(r"(?:[A-ZÄÖÜ][\w.’'-]*\s?){2,4}", text) else "text"
    return Value(kind, lexicon.fold(text), text, 0, len(text), entry="cell")


def _named_by_key(sentence: Sentence, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """In “Price (GBP): 12.50” and “Capacity (kg): 30” the key says what the number is; in “Tel: 0123 456” too."""
    key, colon, _ = sentence.text.partition(":")
    if not colon or len(key.split()) > 6:
        return values
    dials = "=phone" in stems(key)
    return tuple(
        replace(v, type="phone", value=re.sub(r"\D", "", v.raw)) if dials and v.type == "code" else _priced(v, key)
        for v in values
    )


def _priced(value: Value, head: str) -> Value:
    """A bare number under “price” or “GBP” is an amount; without a currency it is compared by its number."""
    if value.type != "number":
        return value
    unit = units.in_head(head)
    if unit is not None:
        said = f"{value.value} {unit.name}"
        return replace(value, type="quantity", value=units.in_base(value.value, unit), unit=unit.base, said=said)
    code = money.code_in(head)
    if code or any(s in ("=price", "=budget", "=salary") for s in stems(head)):
        return replace(value, type="money", unit=code)
    return value


def _row_mentions(sentence: Sentence, cells: Sequence[Cell]) -> tuple[Mention, ...]:
    """Names of a row; an address in the row of one named person is that person's."""
    texts = [(cell.head.casefold(), _cell_text(sentence, cell)) for cell in cells]
    emails = [t.casefold() for _, t in texts if re.fullmatch(r"[\w.+-]+@[\w.-]+", t)]
    found: dict[str, Mention] = {}
    for head, text in texts:
        is_name = any(word in head.split() for word in NAME_HEADS)
        is_person = is_name or any(w in head.split() for w in lexicon.load("words")["person_attributes"])
        facts = (("email", emails[0]),) if is_name and len(emails) == 1 else ()
        for mention in _cell_names(text, sentence):
            if " " not in mention.name and mention.name != text:
                continue
            whole = lexicon.fold(text) in (lexicon.fold(mention.name), *(lexicon.fold(v) for _, v in mention.facts))
            kind = "person" if is_person and whole and mention.type == "name" else mention.type
            found.setdefault(mention.name, Mention(mention.name, kind, (*mention.facts, *(facts if whole else ()))))
    also = _also_known(texts)
    rows = list(found.values())
    subject = next((at for at, m in enumerate(rows) if m.type == "person"), 0)
    return tuple(
        Mention(m.name, m.type, (*m.facts, *(fact for fact in also if fact[1] != m.name))) if at == subject else m
        for at, m in enumerate(rows)
    )


def _cell_names(text: str, sentence: Sentence) -> tuple[Mention, ...]:
    """The names of a cell; “Lovelace, Ada” is Ada Lovelace, written both ways."""
    turned = REVERSED.fullmatch(text)
    if turned:
        name = f"{turned['first']} {turned['last']}"
        return (Mention(name, "person", (("alias", text),)),)
    return names.mentions(f"| {text}", sentence.block)


def _also_known(texts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """A column “known as” or “alias” names the row's subject once more."""
    return tuple(("alias", text) for head, text in texts if head in ALIAS_HEADS and text)


def _extracted(
    sentence: Sentence,
    text: str,
    kind: str,
    stands: Standing,
    frame: Frame | None,
    found: tuple[Claim, ...],
    mentions: tuple[Mention, ...],
    understood: tuple[str, ...] = (),
) -> Extracted:
    origin = frame.origin if frame else "none"
    table = lexicon.load("confidence")[stands.support]
    is_date = frame is not None and frame.value_type == "date" and "|" not in frame.value
    return Extracted(
        text=" ".join(text.split()),
        type=kind,
        start=sentence.start,
        end=sentence.end,
        location=sentence.block.location,
        locator=dict(sentence.block.locator),
        standing=stands,
        confidence=float(table[origin]),
        frame=frame,
        effective_date=frame.value.partition("..")[0] if frame and is_date else "",
        values=understood or _understood(found),
        claims=tuple(replace(claim, section=_section(sentence)) for claim in found),
        mentions=mentions,
    )


def _understood(
    found: Sequence[Claim], typed: Sequence[str] = (), polarities: Sequence[Polarity] = ()
) -> tuple[str, ...]:
    """The values of a statement in words: typed ones canonical, sides by their name with the word that says so."""
    labels = lexicon.load("polarity")["labels"]
    sides = [f"{labels[p.dimension][p.sign]} ({lexicon.fold(p.cue)})" for p in polarities]
    said = [c.shown for c in found if not c.type.startswith("polarity")]
    answers = [c.shown for c in found if c.type.startswith("polarity") and not polarities and c.shown != "yes"]
    return tuple(dict.fromkeys((*typed, *said, *sides, *answers)))
