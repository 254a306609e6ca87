"""The visual vocabulary: support is a moon, a state is a line with an icon and a word."""

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from console.wording import gettext_lazy as _
from knowledge.vocabulary import ConflictStatus, JobStatus, Status, Support


@dataclass(frozen=True, slots=True)
class SupportLabel:
    key: str
    words: str


@dataclass(frozen=True, slots=True)
class Tag:
    """``key`` picks the line, ``icon`` and ``words`` say it without colour."""

    key: str
    icon: str
    words: str


_SUPPORT = {
    Support.DIRECT_FACT: SupportLabel("direct", _("Direct fact")),
    Support.SUPPORTED_INFERENCE: SupportLabel("supported", _("Supported inference")),
    Support.UNCERTAIN_INFERENCE: SupportLabel("uncertain", _("Uncertain inference")),
    Support.UNVERIFIED_CLAIM: SupportLabel("unverified", _("Unverified claim")),
    Support.UNKNOWN: SupportLabel("unknown", _("UNKNOWN SUPPORT")),
}

_STATUS = {
    Status.ACTIVE: Tag("current", "tick", _("Current")),
    Status.SUPERSEDED: Tag("superseded", "bent", _("Superseded")),
    Status.DISPUTED: Tag("disputed", "neq", _("Disputed")),
    Status.UNRESOLVED: Tag("unresolved", "broken", _("Unresolved")),
    Status.STALE: Tag("stale", "clock", _("Stale")),
    Status.ARCHIVED: Tag("historical", "clock", _("Archived")),
    Status.WITHHELD: Tag("withheld", "lock", _("Withheld")),
    Status.UNKNOWN: Tag("unknown", "question", _("Unknown status")),
}

_CONFLICT = {
    ConflictStatus.OPEN: Tag("open", "neq", _("Open")),
    ConflictStatus.RESOLVED: Tag("done", "tick", _("Ruled")),
    ConflictStatus.DISMISSED: Tag("historical", "arrow", _("Not a conflict")),
    ConflictStatus.MOOT: Tag("historical", "clock", _("Moot: a side is gone")),
    ConflictStatus.UNKNOWN: Tag("unknown", "question", _("Unknown status")),
}

_JOB = {
    JobStatus.QUEUED: Tag("waiting", "clock", _("Queued")),
    JobStatus.RUNNING: Tag("running", "turning", _("Running")),
    JobStatus.COMPLETED: Tag("done", "tick", _("Completed")),
    JobStatus.FAILED: Tag("failed", "cross", _("Failed")),
    JobStatus.CANCELLED: Tag("historical", "stop", _("Cancelled")),
    JobStatus.UNKNOWN: Tag("unknown", "question", _("Unknown state")),
}

_SOURCE = {
    "active": Tag("active", "disc", _("Active")),
    "approved": Tag("approved", "ring", _("Approved")),
    "proposed": Tag("proposed", "dotted", _("Proposed")),
    "degraded": Tag("stale", "clock", _("Degraded")),
    "retiring": Tag("historical", "clock", _("Retiring")),
    "suspended": Tag("suspended", "bars", _("Suspended")),
    "revoked": Tag("revoked", "slash", _("Revoked")),
    "processing": Tag("waiting", "clock", _("Waits to be read")),
    "registered": Tag("waiting", "clock", _("Waits to be read")),
    "indexed": Tag("active", "disc", _("Active")),
    "stale": Tag("stale", "clock", _("Stale")),
    "invalid": Tag("failed", "cross", _("Could not be read")),
    "quarantined": Tag("failed", "stop", _("Set aside")),
    "deleted": Tag("historical", "cross", _("Deleted")),
    "superseded": Tag("superseded", "bent", _("Older version")),
}

_CONFLICT_KINDS = {
    "attribute_mismatch": _("Values differ"),
    "contradiction": _("Contradiction"),
    "duplicate_source": _("Duplicate source"),
}

_TYPES = {
    "md": _("Markdown"),
    "markdown": _("Markdown"),
    "txt": _("Text"),
    "text": _("Text"),
    "eml": _("Mail"),
    "email": _("Mail"),
    "html": _("Web page"),
    "csv": _("CSV"),
    "pdf": _("PDF"),
    "docx": _("Word"),
    "odt": _("OpenDocument"),
    "rtf": _("Rich text"),
    "pptx": _("PowerPoint"),
    "xlsx": _("Excel"),
    "mbox": _("Mailbox"),
    "zip": _("Archive"),
}


def support_label(support: Support) -> SupportLabel:
    return _SUPPORT[support]


def status_tag(status: Status) -> Tag:
    return _STATUS[status]


def conflict_tag(status: ConflictStatus, assignee: str = "") -> Tag:
    if status is ConflictStatus.OPEN and assignee:
        return Tag("waiting", "clock", gettext("Needs evidence"))
    return _CONFLICT[status]


def job_tag(status: JobStatus, *, cancel_requested: bool = False, unread: int = 0) -> Tag:
    """``unread`` documents could not be read: their job has ended, but not well."""
    if status is JobStatus.RUNNING and cancel_requested:
        return Tag("waiting", "clock", gettext("Stopping"))
    if status is JobStatus.COMPLETED and unread:
        words = ngettext("{number:,} could not be read", "{number:,} could not be read", unread)
        return Tag("failed", "cross", words.format(number=unread))
    return _JOB[status]


def source_tag(state: str, processing: str) -> Tag:
    """What keeps a source from being read counts before its lifecycle."""
    if processing not in ("", "indexed"):
        return _SOURCE.get(processing, Tag("unknown", "question", processing))
    return _SOURCE.get(state, Tag("unknown", "question", state or gettext("Unknown state")))


def conflict_kind(kind: str) -> str:
    return _CONFLICT_KINDS.get(kind, kind.replace("_", " ").capitalize())


def source_type(kind: str) -> str:
    return _TYPES.get(kind.lower(), kind.upper())


def _name(subject: str) -> str:
    """A subject that came as a key (``falcon``, ``parachute_recovery_system``) in words."""
    words = subject.replace("_", " ").strip()
    return words.capitalize() if words.islower() and " " not in words else words


def subject_words(subject: str, attribute_key: str) -> str:
    """``Launch date of Project Falcon`` out of a subject and ``falcon|launch_date``."""
    attribute = attribute_key.rpartition("|")[2].replace("_", " ").replace("-", " ").strip()
    subject = _name(subject)
    if not attribute:
        return subject or gettext("Sources disagree")
    return (
        gettext("{attribute} of {subject}").format(attribute=attribute[:1].upper() + attribute[1:], subject=subject)
        if subject
        else attribute.capitalize()
    )
