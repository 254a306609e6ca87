"""Which lines of a mail are older mail or a signature: kept and shown, but no new evidence."""

import re
from collections.abc import Iterator, Sequence

from forager.parsing.document import Excluded
from forager.parsing.lines import Line

QUOTED = re.compile(r"\s*(?:>|\|\s)")
SIGNATURE = re.compile(r"-- ?$")
ATTRIBUTION = re.compile(
    r"\s*(?:"
    r"On\b.{4,300}\bwrote"
    r"|(?:Am|Den|Dne)\b.{4,300}\bschrieb\b.{0,200}"
    r"|Le\b.{4,300}\ba\s+écrit"
    r"|El\b.{4,300}\bescribió"
    r"|Il\b.{4,300}\bha\s+scritto"
    r"|Op\b.{4,300}\bschreef\b.{0,200}"
    r")\s*:\s*$"
)
NAMED_ATTRIBUTION = re.compile(
    r"\s*\S.{1,200}\b(?:wrote|schrieb|a\s+écrit|escribió)(?:\s+(?:am|on|le)\b.{0,80})?\s*:\s*$"
)
"""'Rosa Klein wrote:' counts only when quoted lines follow."""
STAMP = re.compile(r"\d{4}|\d{1,2}[:.]\d{2}|@")
DIVIDER = re.compile(
    r"\s*(?:-{2,}\s*(?:Original Message|Original Appointment|Forwarded message|Ursprüngliche Nachricht|"
    r"Weitergeleitete Nachricht|Message d'origine|Message transféré|Mensaje original|Messaggio originale)\s*-{2,}"
    r"|_{20,})\s*$",
    re.IGNORECASE,
)
OLD_HEADER = re.compile(
    r"[\s*]*(?P<field>From|Sent|Date|To|Cc|Subject|Von|Gesendet|Datum|An|Betreff|De|Envoyé|Date|À|Objet|Para|Asunto|"
    r"Enviado)\*?\s*:",
    re.IGNORECASE,
)
OPENING_FIELDS = frozenset(("from", "von", "de"))


def excluded_lines(text: str, lines: Sequence[Line]) -> tuple[Excluded, ...]:
    """Stretches of ``text`` that are quoted or a signature, by line."""
    found: list[Excluded] = []
    bodies = [text[line.start : line.end] for line in lines]
    for first, last, reason in _stretches(bodies):
        found.append(Excluded(lines[first].start, lines[last].end, reason))
    return tuple(found)


def _stretches(bodies: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    index = 0
    while index < len(bodies):
        if SIGNATURE.match(bodies[index]) and _is_short_tail(bodies, index):
            end = _signature_end(bodies, index)
            yield index, end, "signature"
            index = end + 1
            continue
        if _old_mail_follows(bodies, index):
            yield index, len(bodies) - 1, "quoted"
            return
        lines = _attribution_lines(bodies, index)
        if lines:
            yield index, index + lines - 1, "quoted"
            if not _quote_marks_follow(bodies, index + lines):
                if index + lines < len(bodies):
                    yield index + lines, len(bodies) - 1, "quoted"
                return
            index += lines
            continue
        if QUOTED.match(bodies[index]):
            yield index, index, "quoted"
        index += 1


def _attribution_lines(bodies: Sequence[str], index: int) -> int:
    """How many lines 'On …, X wrote:' takes from here; 0 when it does not begin here."""
    for count in (1, 2, 3):
        lines = bodies[index : index + count]
        if not all(line.strip() for line in lines):
            return 0
        joined = " ".join(line.strip() for line in lines)
        followed = _quote_marks_follow(bodies, index + count)
        if ATTRIBUTION.match(joined) and (followed or STAMP.search(joined)):
            return count
        if count == 1 and followed and NAMED_ATTRIBUTION.match(joined):
            return count
    return 0


def _quote_marks_follow(bodies: Sequence[str], index: int) -> bool:
    following = next((body for body in bodies[index : index + 3] if body.strip()), "")
    return bool(QUOTED.match(following))


def _old_mail_follows(bodies: Sequence[str], index: int) -> bool:
    """A divider with header lines below it, or the header block Outlook puts above the older mail."""
    if DIVIDER.match(bodies[index]):
        return _header_lines(bodies, index + 1) >= 2
    match = OLD_HEADER.match(bodies[index])
    opens = match is not None and match["field"].lower() in OPENING_FIELDS
    return opens and index > 0 and _header_lines(bodies, index) >= 3


def _header_lines(bodies: Sequence[str], index: int) -> int:
    window = [body for body in bodies[index : index + 9] if body.strip()][:6]
    return sum(1 for body in window if OLD_HEADER.match(body))


def _is_short_tail(bodies: Sequence[str], index: int) -> bool:
    return any(body.strip() for body in bodies[index + 1 :])


def _signature_end(bodies: Sequence[str], index: int) -> int:
    """A signature runs to the end, or to the older mail below it."""
    for later in range(index + 1, len(bodies)):
        begins_quote = QUOTED.match(bodies[later]) or _attribution_lines(bodies, later)
        if begins_quote or _old_mail_follows(bodies, later):
            return later - 1
    return len(bodies) - 1
