from datetime import UTC, datetime


def rfc3339(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rfc3339_or_none(at: datetime | None) -> str | None:
    return None if at is None else rfc3339(at)
