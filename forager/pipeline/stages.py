"""The eleven stages in order, and the versions that a checkpoint binds."""

from forager.extraction.model import Extractor
from forager.model.ids import digest
from forager.model.models import Source

DOCUMENT_STAGES = (
    "source_registration",
    "parsing_extraction",
    "normalization",
    "chunking",
    "semantic_extraction",
)
BASE_STAGES = (
    "entity_resolution",
    "dedup_conflict",
    "provenance",
    "validation",
    "indexing",
    "export_availability",
)
STAGES = DOCUMENT_STAGES + BASE_STAGES

CONNECTOR_VERSION = "upload-1"
SCHEMA_VERSION = 1
PARSER_VERSION = "1"
CHUNKER_VERSION = "1"
READ_AGAIN = "again"
"""In place of the version that read a source: its rows stand, and it is to be read once more."""
EXTRACTOR = Extractor("rules", "3")

_TRANSFORMATION = {
    "source_registration": "1",
    "parsing_extraction": PARSER_VERSION,
    "normalization": PARSER_VERSION,
    "chunking": PARSER_VERSION + "/" + CHUNKER_VERSION,
    "semantic_extraction": PARSER_VERSION + "/" + EXTRACTOR.version,
}


def checkpoint_digest(stage: str, source: Source) -> str:
    """What a finished unit was made from; the same digest means its work stands."""
    read_with = _TRANSFORMATION[stage]
    if stage == "semantic_extraction" and (words := source.base.vocabulary.get("digest")):
        read_with = f"{read_with}/{words}"
    return digest(CONNECTOR_VERSION, source.path, SCHEMA_VERSION, read_with, source.content_hash)


PIPELINE_VERSION = digest(_TRANSFORMATION)
