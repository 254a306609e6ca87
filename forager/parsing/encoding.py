"""Bytes to text, with the encoding that was used and a warning where the reading is a guess.

The text is the document's own, untouched but for characters no store can hold: NUL, other control characters
and lone surrogates become U+FFFD one for one, so that offsets stay those of the decoded text.
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from forager.parsing.document import ParseWarning

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
MULTI_BYTE = re.compile(rb"[\xc3-\xf4][\x80-\xbf]")
"""A lead byte with a continuation byte, which single-byte encodings hardly ever have side by side."""
SAMPLE = 64 * 1024
GUESSES = (
    *("cp1252", "cp1250", "cp1251", "iso8859_2", "koi8_r", "koi8_u", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr", "tis_620"),
)
"""Encodings that documents without a mark are found in; a guess among rarer ones is wrong more often than right."""
SHARED_LETTERS = "äöüßÄÖÜéÉáÁíÍóÓúÚôÔâÂîÎçÇý’‘“”„–—…€°§«»"
USUAL = {
    "cp1252": frozenset(f"{SHARED_LETTERS}èÈàÀêÊûÛëïñÑåÅøØæÆœŒùÙìòãõ²³½¿¡£"),
    "cp1250": frozenset(f"{SHARED_LETTERS}ěĚšŠčČřŘžŽůŮťďňłŁąęśŚćńżŻźőűăşţđĐ"),
}
INVALID_TOLERATED = 0.2
"""Text that is UTF-8 but for this share of bytes is damaged UTF-8, not another encoding."""


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str
    warnings: tuple[ParseWarning, ...] = ()


def storable(text: str) -> str:
    """The same number of characters, each of which a database can hold."""
    return UNSTORABLE.sub("\ufffd", text)


def decode(content: bytes, declared: str = "") -> Decoded:
    """Reads by byte order mark, then the declared encoding, then UTF-8, then by what the bytes look like."""
    decoded = _decode(content, declared)
    clean = storable(decoded.text)
    if clean == decoded.text:
        return decoded
    warning = ParseWarning("control_characters", "Control characters were replaced by \ufffd.")
    return Decoded(clean, decoded.encoding, (*decoded.warnings, warning))


def _decode(content: bytes, declared: str) -> Decoded:
    for mark, name in BOMS:
        if content.startswith(mark):
            return _with_replacement(content, name)
    for name in (declared, _wide_guess(content), "utf-8"):
        text = _strictly(content, name)
        if text is not None:
            return Decoded(text, _canonical(name))
    if _mostly_utf8(content):
        return _with_replacement(content, "utf-8")
    return _guess(content)


def _strictly(content: bytes, name: str) -> str | None:
    if not name or not _is_text_codec(name):
        return None
    try:
        return content.decode(name)
    except (UnicodeError, ValueError):
        return None


def _is_text_codec(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding  # noqa: SLF001 - the only sign that tells text codecs apart
    except (LookupError, ValueError):
        return False


def _canonical(name: str) -> str:
    return codecs.lookup(name).name


def _wide_guess(content: bytes) -> str:
    """UTF-16 without a mark shows as every second byte being NUL."""
    head = content[:SAMPLE]
    if len(head) < 4 or len(content) % 2:
        return ""
    half = len(head) // 2
    if head[1::2].count(0) > half * 0.4 and head[0::2].count(0) < half * 0.05:
        return "utf-16-le"
    if head[0::2].count(0) > half * 0.4 and head[1::2].count(0) < half * 0.05:
        return "utf-16-be"
    return ""


def _mostly_utf8(content: bytes) -> bool:
    """True when the bytes hold multi-byte characters, whole or cut off, and little else that is not ASCII."""
    sample = content[:SAMPLE]
    text = sample.decode("utf-8", "replace")
    return MULTI_BYTE.search(sample) is not None and text.count("\ufffd") <= len(text) * INVALID_TOLERATED


def _with_replacement(content: bytes, name: str) -> Decoded:
    text = content.decode(name, "replace")
    encoding = _canonical("utf-8" if name == "utf-8-sig" else name)
    if name == "utf-8-sig":
        text = text.removeprefix("\ufeff")
    if _strictly(content, name) is not None:
        return Decoded(text, encoding)
    message = f"Some bytes are not valid {encoding.upper()} and were replaced by \ufffd."
    return Decoded(text, encoding, (ParseWarning("invalid_bytes", message, "", "Save the file again as UTF-8."),))


def _settled(content: bytes, guess: str) -> str:
    """Western and Central European code pages differ in few letters; the one whose letters are usual wins."""
    if guess not in ("cp1250", "cp1252"):
        return guess
    shares = {name: _usual_share(content, name, letters) for name, letters in USUAL.items()}
    return max(USUAL, key=lambda name: shares[name])


def _usual_share(content: bytes, name: str, letters: frozenset[str]) -> float:
    high = [character for character in content[:SAMPLE].decode(name, "replace") if character > "\x7f"]
    return sum(character in letters for character in high) / max(len(high), 1)


def _guess(content: bytes) -> Decoded:
    best = from_bytes(content[:SAMPLE], cp_isolation=list(GUESSES)).best()
    for name in (_settled(content, best.encoding if best else ""), "cp1252", "latin-1"):
        text = _strictly(content, name)
        if text is not None:
            message = f"The encoding is not stated; it was read as {_canonical(name)}."
            warning = ParseWarning(
                "encoding_guessed", message, "", "Check the text; save it as UTF-8 if it looks wrong."
            )
            return Decoded(text, _canonical(name), (warning,))
    return _with_replacement(content, "utf-8")
