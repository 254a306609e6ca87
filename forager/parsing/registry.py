"""Which parser reads a file. The content decides; the name only settles what the content leaves open."""

import re
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import BadZipFile, ZipFile

from forager.parsing.archive import parse_archive
from forager.parsing.csvfile import is_table, parse_csv
from forager.parsing.document import Document, Parser, UnreadableDocumentError
from forager.parsing.docx import parse_docx
from forager.parsing.encoding import decode
from forager.parsing.html import parse_html
from forager.parsing.jsonfile import parse_json
from forager.parsing.mail import parse_mail
from forager.parsing.markdown import parse_markdown
from forager.parsing.mbox import is_mailbox, parse_mbox
from forager.parsing.odt import parse_odt
from forager.parsing.pdf import parse_pdf
from forager.parsing.pptx import parse_pptx
from forager.parsing.rtf import parse_rtf
from forager.parsing.text import parse_text
from forager.parsing.xlsx import parse_xlsx

BINARY = (
    (b"MZ", "a program"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"BZh", "a compressed archive"),
    (b"7z\xbc\xaf", "a compressed archive"),
    (b"Rar!", "a compressed archive"),
    (b"SQLite format 3\x00", "a database"),
)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PACKAGES = (
    ("xl/workbook.bin", "a binary spreadsheet"),
    ("content.xml", "an OpenDocument file"),
)
BY_NAME: dict[str, Parser] = {
    ".md": parse_markdown,
    ".markdown": parse_markdown,
    ".csv": parse_csv,
    ".tsv": parse_csv,
    ".tab": parse_csv,
    ".json": parse_json,
    ".jsonl": parse_json,
    ".ndjson": parse_json,
    ".txt": parse_text,
    ".log": parse_text,
    ".eml": parse_mail,
    ".html": parse_html,
    ".htm": parse_html,
    ".xhtml": parse_html,
}
PACKAGED = frozenset((".pdf", ".docx", ".docm", ".doc", ".pptx", ".ppt", ".xlsx", ".xls", ".odt", ".zip", ".rtf"))
HTML_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title)\b", re.IGNORECASE | re.DOTALL
)
MAIL_START = re.compile(rb"(?:From |[\w-]+:[ \t])")
MAIL_FIELD = re.compile(
    rb"^(from|to|subject|date|message-id|mime-version|received|return-path|content-type):", re.IGNORECASE | re.MULTILINE
)


def parse(content: bytes, name: str) -> Document:
    """The document in ``content``; ``UnreadableDocumentError`` says what is wrong and what to do."""
    if not content.strip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"):
        raise UnreadableDocumentError("empty", "The file is empty.", "Export or save the file again.")
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    return _parser(content, suffix)(content, name)


def _parser(content: bytes, suffix: str) -> Parser:
    for magic, what in BINARY:
        if content.startswith(magic):
            raise _unsupported(f"The file is {what}, not a document.")
    if b"%PDF-" in content[:1024]:
        return parse_pdf
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _package_parser(content)
    if content.startswith(OLE):
        raise _old_office(content)
    if content.startswith(b"{\\rtf"):
        return parse_rtf
    return _text_parser(content, suffix)


def _package_parser(content: bytes) -> Parser:
    """Office packages are zips; what is inside says which. A damaged directory is for the parser to report."""
    try:
        with ZipFile(BytesIO(content)) as package:
            names = frozenset(package.namelist())
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        message = "The file is a package whose directory cannot be read; it may be cut off."
        raise UnreadableDocumentError("damaged", message, "Save or send it again, whole.") from error
    if "word/document.xml" in names:
        return parse_docx
    if "xl/workbook.xml" in names:
        return parse_xlsx
    if "ppt/presentation.xml" in names:
        return parse_pptx
    if _holds_odt(content, names):
        return parse_odt
    for part, what in PACKAGES:
        if any(name.startswith(part) for name in names):
            raise _unsupported(f"The file is {what}, which is not read yet.")
    return parse_archive


def _holds_odt(content: bytes, names: frozenset[str]) -> bool:
    """OpenDocument packages name their type in their first part, which is stored without compression."""
    return "content.xml" in names and b"mimetypeapplication/vnd.oasis.opendocument.text" in content[:200]


def _old_office(content: bytes) -> UnreadableDocumentError:
    if "EncryptedPackage".encode("utf-16-le") in content:
        message = "The document is protected by a password."
        return UnreadableDocumentError("password_needed", message, "Save it without the password and load that.")
    return _unsupported("The file is in an old binary Office format.")


def _text_parser(content: bytes, suffix: str) -> Parser:
    is_html = HTML_START.match(content[:8192].lstrip(b"\xef\xbb\xbf")) is not None
    if suffix in PACKAGED:
        what = "HTML" if is_html else "text" if b"\x00" not in content[:8192] else "no known document"
        message = f"The file is named {suffix} but holds {what}; it is not a {suffix[1:].upper()} file."
        raise UnreadableDocumentError("type_mismatch", message, "Load the real document, or rename the file.")
    if is_html and suffix not in (".md", ".markdown", ".txt", ".csv"):  # these may quote a page
        return parse_html
    if suffix == ".mbox" or (suffix not in BY_NAME and is_mailbox(content)):
        return parse_mbox
    if suffix not in BY_NAME and _looks_binary(content):
        raise _unsupported("The file is of no known document type.")
    if _is_mail(content, suffix):
        return parse_mail
    if suffix in BY_NAME:
        return BY_NAME[suffix]
    return parse_csv if is_table(decode(content[:65536]).text) else parse_text


def _is_mail(content: bytes, suffix: str) -> bool:
    if suffix in BY_NAME and suffix != ".eml":
        return False
    head = content[:8192].replace(b"\r\n", b"\n").split(b"\n\n", 1)[0]
    fields = {match.lower() for match in MAIL_FIELD.findall(head)}
    return suffix == ".eml" or (MAIL_START.match(head) is not None and len(fields) >= 3)


def _looks_binary(content: bytes) -> bool:
    sample = content[:4096]
    if decode(sample).encoding.startswith("utf-16"):
        return False
    odd = sum(1 for byte in sample if byte < 9 or 13 < byte < 32)
    return odd > len(sample) * 0.05


def _unsupported(message: str) -> UnreadableDocumentError:
    return UnreadableDocumentError("unsupported_type", message, "Convert it to PDF, DOCX or text and load that.")
