"""The documents of a package as a reader would tell them: what was parsed, and the statements with all they carry."""

import dataclasses
from collections import defaultdict
from collections.abc import Mapping

from forager.extraction import guard
from forager.extraction.model import Extracted, Extractor, Mention, Standing
from forager.interchange import forms
from forager.interchange.opening import Package, frame_of
from forager.model.statements import MANUAL
from forager.parsing.document import Document, Ledger
from forager.pipeline.packed import Packed
from forager.pipeline.stages import EXTRACTOR
from forager.reading import orders


class Readings:
    """Looks up what belongs to one source; made once for a package."""

    def __init__(self, package: Package) -> None:
        self.texts = {row["source_id"]: row for row in package.texts}
        self.statements = {row["id"]: row for row in package.statements}
        self.claims = {row["evidence_id"]: row for row in package.claims}
        self.mentions: Mapping[str, list[forms.MentionRow]] = _by(package.mentions, "statement_id")
        self.evidence: Mapping[str, list[forms.EvidenceRow]] = _by(package.evidence, "source_id")

    def of(self, source: forms.SourceRow) -> Packed:
        """What instructs its reader is set aside here, too, whatever the package says of it."""
        pieces = sorted(self.evidence.get(source["id"], ()), key=lambda row: (row["start"], row["end"], row["id"]))
        rows = [(piece, self.statements[piece["statement_id"]]) for piece in pieces]
        read = [(piece, row) for piece, row in rows if row["extractor_name"] != MANUAL]
        by = Extractor(read[0][1]["extractor_name"], read[0][1]["extractor_version"]) if read else EXTRACTOR
        statements = guard.guarded(self._extracted(piece, row) for piece, row in read)
        return Packed(self._document(source), statements, by)

    def _extracted(self, piece: forms.EvidenceRow, row: forms.StatementRow) -> Extracted:
        frame, told = frame_of(row), self.claims.get(piece["id"])
        speaker = str((row["frame"] or {}).get("speaker", ""))
        return Extracted(
            text=row["statement"],
            type=row["type"],
            start=piece["start"],
            end=piece["end"],
            location=piece["location"],
            locator=piece["locator"],
            standing=Standing(row["support"], row["support_reason"], speaker),
            confidence=told["confidence"] if told else row["confidence"],
            frame=frame,
            values=(row["attribute_value"],) if frame is None and row["attribute_value"] else (),
            effective_date=row["effective_date"],
            claims=tuple(told["claims"]) if told else (),
            mentions=tuple(Mention(m["name"], m["type"], tuple(m["facts"])) for m in self.mentions.get(row["id"], ())),
            flags=tuple(row["flags"]),
        )

    def _document(self, source: forms.SourceRow) -> Document:
        text = self.texts[source["id"]]
        ledger = text["ledger"]
        read = Document(
            text=text["text"],
            blocks=tuple(text["blocks"]),
            source_type=source["source_type"],
            media_type=source["media_type"],
            title=source["title"],
            encoding=source["encoding"],
            document_date=source["document_date"],
            document_date_from=source["document_date_from"],
            metadata=text["metadata"],
            excluded=tuple(text["excluded"]),
            warnings=tuple(w for w in source["warnings"] if w.code != orders.CODE),
            ledger=Ledger(
                ledger["unit"],
                ledger["units"],
                ledger["read"],
                ledger["skipped"],
                tuple((place["locator"], place["reason"]) for place in ledger["silent"]),
            ),
        )
        return dataclasses.replace(read, warnings=(*read.warnings, *orders.warning(read)))


def _by[Row: Mapping[str, object]](rows: list[Row], field: str) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[str(row[field])].append(row)
    return found
