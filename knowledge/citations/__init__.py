"""Does an answer say what its citations say? Checked by words alone, the same way every time, with no model."""

from knowledge.citations.check import Finding, Kind, Report, check_citations

__all__ = ["Finding", "Kind", "Report", "check_citations"]
