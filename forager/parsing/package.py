"""Reading parts of a zip-based document safely: bounded sizes, no entities, no network, no directory surprises."""

from io import BytesIO
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812 - the module names its exception in lower case

from lxml import etree

from forager.parsing.document import UnreadableDocumentError

PART_LIMIT = 64 * 1024 * 1024
"""Bytes one part may unpack to."""


def damaged(what: str) -> UnreadableDocumentError:
    return UnreadableDocumentError("damaged", f"The document is damaged: {what}.", "Save or send it again, whole.")


class Package:
    """A zip opened for reading its parts by name. Raises ``UnreadableDocumentError`` for anything wrong with it."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = ZipFile(BytesIO(content))
        except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise damaged("its directory cannot be read") from error
        self.names = tuple(self._zip.namelist())

    def read(self, name: str) -> bytes:
        try:
            with self._zip.open(name) as part:
                content = part.read(PART_LIMIT + 1)
        except RuntimeError as error:
            message = "The document is protected by a password."
            raise UnreadableDocumentError("password_needed", message, "Save it without the password.") from error
        except (BadZipFile, OSError, ValueError, EOFError, KeyError, ZlibError) as error:
            raise damaged(f"the part {name} cannot be unpacked") from error
        if len(content) > PART_LIMIT:
            limit = PART_LIMIT // (1024 * 1024)
            message = f"A part of the document unpacks to more than {limit} MB."
            raise UnreadableDocumentError("too_large", message, "Split the document.")
        return content

    def xml(self, name: str) -> etree._Element | None:
        """The root of an XML part, None when the package has no such part."""
        if name not in self.names:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(self.read(name), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise damaged(f"the part {name} is not well-formed") from error
        if root.getroottree().docinfo.internalDTD is not None:
            message = "The document declares entities of its own, which office documents never do."
            raise UnreadableDocumentError("forbidden_markup", message, "Save it again from an office program.")
        return root
