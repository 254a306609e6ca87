"""Names in a sentence: who and what it speaks of, with what the text itself says of the name."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from babel import Locale
from babel.dates import get_day_names

from forager.extraction import lexicon
from forager.extraction.model import Mention
from forager.extraction.values.dates import MONTH_NAMES
from forager.parsing.document import Block, BlockKind

_CAP = r"[A-ZÄÖÜÉÈÀÇ][\w’'&-]*"
NAME = re.compile(rf"{_CAP}(?:\.?\s+(?:(?:of|de|von|van|der|du|&)\s+)?{_CAP})*")
IDENTIFIER = re.compile(r"(?<![\w-])[A-Z]{2,10}-\d+(?:-\d+)*(?![\w-])")
SLUG = re.compile(r"(?<![\w/@.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w/@.-])")
MAX_HEADER = 4000
ADDRESS = re.compile(r"(?P<name>[^<>,;\"]{1,200}?)\"?\s*<(?P<email>[\w.+-]+@[\w.-]+)>")
ALSO = re.compile(
    rf"(?P<name>{_CAP}(?:\s+{_CAP})*)\s*\(?,?\s*"
    r"(?:also known as|a\.k\.a\.|aka|known as|formerly|genannt|dit)"
    rf"\s+[“\"']?(?P<alias>{_CAP}(?:\s+{_CAP})*)"
)
EXPANSION = re.compile(rf"(?P<name>{_CAP}(?:[\s-]+(?:{_CAP}|of|for|and|the))+)\s*\((?P<alias>[A-Z]{{2,8}})\)")
TITLES = ("dr", "mr", "mrs", "ms", "prof", "herr", "frau", "mme", "m")
ORGANISATION = re.compile(
    r"\b(?:gmbh|ag|inc|ltd|llc|plc|corp|corporation|company|sarl|sa|se|kg|e\.v|foundation|university|institute|agency|ministry|council|bank|group|labs?|aero|systems)\b\.?",
    re.IGNORECASE,
)


def mentions(text: str, block: Block) -> tuple[Mention, ...]:
    """Distinct names of a sentence in reading order. A document asks twice: for all it names, then by sentence."""
    return _mentions(text, in_header=block.kind is BlockKind.MAIL_HEADER)


@lru_cache(maxsize=4096)
def _mentions(text: str, *, in_header: bool) -> tuple[Mention, ...]:
    found: dict[str, Mention] = {}
    addressed = _addresses(text) if in_header else ()
    every = (*addressed, *_actors(text), *_stated_aliases(text), *_identifiers(text), *_capitalised(text))
    for mention in every:
        found.setdefault(lexicon.fold(mention.name), mention)
    return tuple(found.values())


def _addresses(text: str) -> Iterator[Mention]:
    """Who a header line names; elsewhere an address stands for itself."""
    for match in ADDRESS.finditer(text[:MAX_HEADER]):
        name = match["name"].rpartition(":")[2].strip()
        local = set(re.split(r"[._-]", match["email"].partition("@")[0].casefold()))
        is_person = bool(local & set(lexicon.fold(name).split()) - _kinds()) and len(name.split()) > 1
        if name:
            yield Mention(name, "person" if is_person else "name", (("email", match["email"].casefold()),))


def _actors(text: str) -> Iterator[Mention]:
    for match in ACTS.finditer(text):
        name = _clean(match["name"])
        if name_type(name) == "name":
            yield Mention(name, "person")


def _stated_aliases(text: str) -> Iterator[Mention]:
    for match in ALSO.finditer(text):
        name = _clean(match["name"])
        yield Mention(name, name_type(name), (("alias", _clean(match["alias"])),))
    for match in EXPANSION.finditer(text):
        name = _clean(match["name"])
        if "".join(word[0] for word in re.findall(r"[A-Z]\w*", name)) == match["alias"]:
            yield Mention(name, name_type(name), (("acronym", match["alias"]),))


def _identifiers(text: str) -> Iterator[Mention]:
    for match in IDENTIFIER.finditer(text):
        yield Mention(match.group(), "identifier")
    for match in SLUG.finditer(text):
        if _is_code_name(match.group()):
            yield Mention(match.group(), "service")


@cache
def _common_compounds() -> re.Pattern[str]:
    words = lexicon.load("words")
    starts, ends = words["compound_starts"], words["compound_ends"]
    return re.compile(rf"(?:{'|'.join(starts)})-.*|.*-(?:{'|'.join(ends)})", re.IGNORECASE)


def _is_code_name(text: str) -> bool:
    return not _common_compounds().fullmatch(text) and not text[-1].isdigit() and text.count("-") < 4


def _capitalised(text: str) -> Iterator[Mention]:
    for match in NAME.finditer(text):
        for part in _split_lists(match.group()):
            name = _clean(part)
            starts_sentence = not text[: match.start()].strip(" \"'“(-*•")
            if name and not _is_ordinary(name, starts_sentence=starts_sentence):
                yield Mention(name, name_type(name))


def _split_lists(name: str) -> Iterable[str]:
    return re.split(r"\s+(?:and|und|et)\s+", name)


def _clean(name: str) -> str:
    """Without article, possessive and trailing marks; a day or month name alone is no name."""
    name = re.sub(r"['’]s\b", "", name).strip(" .,'’")
    words = name.split()
    while words and lexicon.fold(words[0]) in _articles():
        words = words[1:]
    return " ".join(words)


@cache
def _articles() -> frozenset[str]:
    return frozenset(word for words in lexicon.load("words")["stop"].values() for word in words)


@cache
def _calendar() -> frozenset[str]:
    """Names of days and months (CLDR) in all our languages."""
    days = {name for language in lexicon.LANGUAGES for name in get_day_names("wide", locale=Locale(language)).values()}
    return frozenset(lexicon.fold(day) for day in days) | frozenset(MONTH_NAMES)


def _is_ordinary(name: str, *, starts_sentence: bool) -> bool:
    words = [lexicon.fold(w).strip(".") for w in name.split()]
    if all(w in _articles() or w in _calendar() for w in words):
        return True
    if len(words) > 1 or (words[0] in _given_names() and words[0] not in _words_too()):
        return False
    return starts_sentence or len(words[0]) < 3 or words[0] in _kinds()


@cache
def _words_too() -> frozenset[str]:
    """Given names that begin a sentence as an ordinary word (“Will”, “May”, “Mark”)."""
    return frozenset(lexicon.load("words")["given_names_that_are_words"])


@cache
def _kinds() -> frozenset[str]:
    return frozenset(lexicon.load("words")["kinds"])


@lru_cache(maxsize=16384)
def name_type(name: str) -> str:
    """project, service, organisation, place, person …, by its own words; ``name`` when they do not say."""
    words = [lexicon.fold(w).strip(".") for w in name.split()]
    for kind, cues in (
        ("project", ("project", "programme", "program", "projekt", "projet")),
        ("service", ("service", "system", "server", "application", "app", "tool", "module")),
        ("place", ("building", "room", "office", "site", "plant", "street", "gebäude", "bâtiment", "harbour", "lake")),
        ("document", ("contract", "policy", "vertrag", "contrat", "plan", "report", "memo")),
    ):
        if any(w in cues for w in words):
            return kind
    if ORGANISATION.search(name):
        return "organisation"
    if words[0] in TITLES or (len(words) < 4 and words[0] in _given_names() and words[0] not in _words_too()):
        return "person"
    return "name"


@cache
def _given_names() -> frozenset[str]:
    short_forms = lexicon.load("nicknames")
    listed = (lexicon.DATA / "given_names.txt").read_text(encoding="utf-8").split("\n")
    names = {line for line in listed if line and not line.startswith("#")}
    return frozenset(names | set(short_forms) | {s for every in short_forms.values() for s in every})


ACTS = re.compile(
    rf"(?P<name>{_CAP}\s+{_CAP})\s+(?:said|says|told|owns|leads|wrote|reported|approved|chaired|chairs|signed|thinks|"
    r"believes|agreed|confirmed|asked|manages|maintains|presented|joined|left|takes over)\b"
)
