"""A statement with everything that carries it, to take away and check elsewhere."""

from django.http import HttpResponse
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.state import failed_page, unreadable
from console.policy import Permission
from knowledge.failures import Failed
from knowledge.proof import proof_of


@door(get=Permission.EXPORT_KNOWLEDGE)
def statement_proof(desk: Desk, statement_id: str) -> HttpResponse:
    link = desk.link
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Statement"), place="knowledge")
    proof = proof_of(link.provider, link.scope, statement_id)
    if isinstance(proof, Failed):
        return failed_page(desk, gettext("Statement"), proof, place="knowledge")
    answer = HttpResponse(proof.value.content, content_type="application/zip")
    answer.headers["Content-Disposition"] = f'attachment; filename="{proof.value.name}"'
    answer.headers["X-Proof-Digest"] = proof.value.digest
    return answer
