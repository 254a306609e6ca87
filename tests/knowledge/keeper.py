"""Packages kept in memory, for tools without a console."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from knowledge.citations import Report
from knowledge.contract import Consumed
from knowledge.tools.keeping import Overturned, Package, Receipt, Sheet, manifest_of, text_digest
from tests.knowledge.shelf import SCOPE


@dataclass
class MemoryPackages:
    """``of_others`` holds packages that are kept and are not this caller's."""

    held: dict[str, Package] = field(default_factory=dict)
    of_others: dict[str, Package] = field(default_factory=dict)
    purged: list[tuple[str, str]] = field(default_factory=list)
    outcomes: list[tuple[str, Consumed, str, bool]] = field(default_factory=list)
    checks: list[tuple[str, str, Report]] = field(default_factory=list)
    overturned: list[Overturned] = field(default_factory=list)

    def freeze(self, sheet: Sheet, request_id: str) -> Receipt:
        key = f"pkg_{len(self.held) + 1:032x}"
        manifest = manifest_of(sheet, SCOPE, package_id=key, agent="agent", request_id=request_id)
        self.held[key] = Package(
            id=key,
            kind=sheet.kind,
            status=sheet.status,
            digest=sheet.digest,
            manifest_digest=text_digest(manifest.decode()),
            manifest=json.loads(manifest),
            text=sheet.text,
            context=sheet.context,
            quoted=sheet.quoted,
            admitted_at=sheet.admitted_at,
            attempt=sheet.attempt,
        )
        return Receipt(key, self.held[key].manifest_digest)

    def find(self, package_id: str) -> Package | None:
        return self.held.get(package_id)

    def purge(self, package_id: str, because: str) -> None:
        self.purged.append((package_id, because))
        self.held[package_id] = replace(self.held[package_id], text=None, context=None)

    def note_outcome(self, package_id: str, outcome: Consumed, raw: str, *, grounded: bool) -> None:
        self.outcomes.append((package_id, outcome, raw, grounded))

    def note_citations(self, package_id: str, answer: str, report: Report) -> None:
        self.checks.append((package_id, answer, report))

    def corrections(self, after: int, limit: int) -> Sequence[Overturned]:
        return [each for each in self.overturned if each.id > after][:limit]
