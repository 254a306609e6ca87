"""The visual vocabulary: support is a moon, a state is a line with an icon and a word."""

from dataclasses import dataclass

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
    Support.DIRECT_FACT: SupportLabel("direct", "Direct fact"),
    Support.SUPPORTED_INFERENCE: SupportLabel("supported", "Supported inference"),
    Support.UNCERTAIN_INFERENCE: SupportLabel("uncertain", "Uncertain inference"),
    Support.UNVERIFIED_CLAIM: SupportLabel("unverified", "Unverified claim"),
    Support.UNKNOWN: SupportLabel("unknown", "UNKNOWN SUPPORT"),
}

_STATUS = {
    Status.ACTIVE: Tag("current", "tick", "Current"),
    Status.SUPERSEDED: Tag("superseded", "bent", "Superseded"),
    Status.DISPUTED: Tag("disputed", "neq", "Disputed"),
    Status.UNRESOLVED: Tag("unresolved", "broken", "Unresolved"),
    Status.STALE: Tag("stale", "clock", "Stale"),
    Status.ARCHIVED: Tag("historical", "clock", "Archived"),
    Status.WITHHELD: Tag("withheld", "lock", "Withheld"),
    Status.UNKNOWN: Tag("unknown", "question", "Unknown status"),
}

_CONFLICT = {
    ConflictStatus.OPEN: Tag("open", "neq", "Open"),
    ConflictStatus.RESOLVED: Tag("done", "tick", "Ruled"),
    ConflictStatus.DISMISSED: Tag("historical", "arrow", "Not a conflict"),
    ConflictStatus.MOOT: Tag("historical", "clock", "Moot: a side is gone"),
    ConflictStatus.UNKNOWN: Tag("unknown", "question", "Unknown status"),
}

_JOB = {
    JobStatus.QUEUED: Tag("waiting", "clock", "Queued"),
    JobStatus.RUNNING: Tag("running", "turning", "Running"),
    JobStatus.COMPLETED: Tag("done", "tick", "Completed"),
    JobStatus.FAILED: Tag("failed", "cross", "Failed"),
    JobStatus.CANCELLED: Tag("historical", "stop", "Cancelled"),
    JobStatus.UNKNOWN: Tag("unknown", "question", "Unknown state"),
}

_SOURCE = {
    "active": Tag("active", "disc", "Active"),
    "approved": Tag("approved", "ring", "Approved"),
    "proposed": Tag("proposed", "dotted", "Proposed"),
    "degraded": Tag("stale", "clock", "Degraded"),
    "retiring": Tag("historical", "clock", "Retiring"),
    "suspended": Tag("suspended", "bars", "Suspended"),
    "revoked": Tag("revoked", "slash", "Revoked"),
    "processing": Tag("waiting", "clock", "Waits to be read"),
    "registered": Tag("waiting", "clock", "Waits to be read"),
    "indexed": Tag("active", "disc", "Active"),
    "stale": Tag("stale", "clock", "Stale"),
    "invalid": Tag("failed", "cross", "Could not be read"),
    "quarantined": Tag("failed", "stop", "Set aside"),
    "deleted": Tag("historical", "cross", "Deleted"),
    "superseded": Tag("superseded", "bent", "Older version"),
}

_CONFLICT_KINDS = {
    "attribute_mismatch": "Values differ",
    "contradiction": "Contradiction",
    "duplicate_source": "Duplicate source",
}

_TYPES = {
    "md": "Markdown",
    "markdown": "Markdown",
    "txt": "Text",
    "text": "Text",
    "eml": "Mail",
    "email": "Mail",
    "html": "Web page",
    "csv": "CSV",
    "pdf": "PDF",
    "docx": "Word",
    "odt": "OpenDocument",
    "rtf": "Rich text",
    "pptx": "PowerPoint",
    "xlsx": "Excel",
    "mbox": "Mailbox",
    "zip": "Archive",
}


def support_label(support: Support) -> SupportLabel:
    return _SUPPORT[support]


def status_tag(status: Status) -> Tag:
    return _STATUS[status]


def conflict_tag(status: ConflictStatus, assignee: str = "") -> Tag:
    if status is ConflictStatus.OPEN and assignee:
        return Tag("waiting", "clock", "Needs evidence")
    return _CONFLICT[status]


def job_tag(status: JobStatus, *, cancel_requested: bool = False) -> Tag:
    if status is JobStatus.RUNNING and cancel_requested:
        return Tag("waiting", "clock", "Stopping")
    return _JOB[status]


def source_tag(state: str, processing: str) -> Tag:
    """What keeps a source from being read counts before its lifecycle."""
    if processing not in ("", "indexed"):
        return _SOURCE.get(processing, Tag("unknown", "question", processing))
    return _SOURCE.get(state, Tag("unknown", "question", state or "Unknown state"))


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
        return subject or "Sources disagree"
    return f"{attribute[:1].upper()}{attribute[1:]} of {subject}" if subject else attribute.capitalize()
