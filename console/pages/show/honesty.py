"""The honesty ledger of a token in figures, each with what it counts."""

from dataclasses import dataclass

from django.utils.translation import gettext

from console.packages.ledger import Ledger


@dataclass(frozen=True, slots=True)
class LedgerFigure:
    number: str
    words: str
    detail: str


def ledger_figures(ledger: Ledger) -> tuple[LedgerFigure, ...]:
    rows = (
        (ledger.asked, gettext("asked"), gettext("questions that were answered, with a reason at least")),
        (ledger.abstained, gettext("abstained"), gettext("of those, where no settled answer could be given")),
        (ledger.refused, gettext("refused"), gettext("calls of any kind")),
        (ledger.served, gettext("served"), gettext("packages that hold a statement")),
        (ledger.admitted, gettext("admitted"), gettext("of those, prompts within their budgets")),
        (ledger.cited, gettext("cited"), gettext("answers whose citations held")),
        (ledger.failed_checks, gettext("failed checks"), gettext("answers whose citations did not hold")),
        (ledger.grounded, gettext("grounded"), gettext("answers told, on admitted evidence")),
        (ledger.not_grounded, gettext("not grounded"), gettext("answers told, without any")),
        (ledger.unfinished, gettext("no answer"), gettext("consumers that failed, or whose answer was not used")),
    )
    return tuple(LedgerFigure(f"{number:,}", words, detail) for number, words, detail in rows)
