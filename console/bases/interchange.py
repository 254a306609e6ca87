"""Files that leave a base and packages that come into one. The engine is asked first; one audit event each."""

from console.bases.actions import Hand
from knowledge.failures import Ok, Outcome
from knowledge.provider import UploadFile
from knowledge.records import Export, Import


def make_export(*, hand: Hand, file_format: str) -> Outcome[Export]:
    export = hand.provider.create_export(hand.scope, format=file_format)
    after = {"format": file_format, "export": export.value.id if isinstance(export, Ok) else ""}
    hand.note("export.made", hand.scope.base_id, export, after)
    return export


def note_download(*, hand: Hand, target: str, outcome: Outcome[object]) -> None:
    """A file that left the console is an act of its own."""
    hand.note("file.downloaded", target, outcome)


def hand_in_package(*, hand: Hand, package: UploadFile) -> Outcome[Import]:
    """Let the engine look through a package. Nothing of it is taken in yet."""
    given = hand.provider.hand_in(hand.scope, package, actor=hand.by.name)
    after = {"name": package.path[:300], "import": given.value.id if isinstance(given, Ok) else ""}
    hand.note("package.handed_in", hand.scope.base_id, given, after)
    return given


def take_in_package(*, hand: Hand, import_id: str) -> Outcome[Import]:
    taken = hand.provider.apply_import(hand.scope, import_id, actor=hand.by.name)
    after = {"sha256": taken.value.sha256, "producer": taken.value.producer_id} if isinstance(taken, Ok) else None
    hand.note("package.taken_in", import_id, taken, after)
    return taken


def drop_package(*, hand: Hand, import_id: str) -> Outcome[Import]:
    dropped = hand.provider.drop_import(hand.scope, import_id)
    hand.note("package.dropped", import_id, dropped)
    return dropped
