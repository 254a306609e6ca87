"""``Idempotency-Key``: the same request sent again gets the first answer; another one under the same key is refused.

An answer is kept in the transaction of the work it tells of, so there is never one without the other. Uploads take long
and repeat safely by themselves; their answer is kept after them.
"""

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from forager.api.access import Caller
from forager.api.errors import Conflicting, ValidationFailed
from forager.model import dialect
from forager.model.ids import digest
from forager.model.models import KeptAnswer

KEPT_FOR = timedelta(hours=24)
KEY = re.compile(r"[\x21-\x7e]{1,200}")
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A request under a key; ``None`` instead of one when no key was sent."""

    caller: str
    key: str
    request_digest: str
    is_upload: bool

    def answer(self, work: Callable[[], Any], status: int) -> tuple[Any, int]:
        """The kept answer, or that of ``work`` from now on. Refusals are not kept: what failed may be tried again."""
        whole: AbstractContextManager[Any] = nullcontext() if self.is_upload else transaction.atomic()
        with whole:
            if not self.is_upload:
                dialect.alone(f"answer to {self.caller} {self.key}")
            kept = KeptAnswer.objects.filter(caller=self.caller, key=self.key).first()
            if kept is not None and kept.at > timezone.now() - KEPT_FOR:
                return self._same(kept)
            result = work()
            self._keep(result, status)
        return result, status

    def _same(self, kept: KeptAnswer) -> tuple[Any, int]:
        if kept.request_digest != self.request_digest:
            raise Conflicting("This Idempotency-Key was used for another request. Nothing was done.")
        return kept.body, kept.status

    def _keep(self, result: Any, status: int) -> None:
        now = timezone.now()
        KeptAnswer.objects.filter(at__lt=now - KEPT_FOR).delete()
        try:
            with transaction.atomic():
                KeptAnswer.objects.create(
                    caller=self.caller,
                    key=self.key,
                    request_digest=self.request_digest,
                    status=status,
                    body=result,
                    at=now,
                )
        except IntegrityError as error:
            raise Conflicting("A request with this Idempotency-Key is being answered.") from error


def repeatable(request: HttpRequest, caller: Caller, body: Any) -> Repeatable | None:
    """The request's key with what it stands for, checked; None without one."""
    key = request.headers.get("Idempotency-Key")
    if request.method != "POST" or key is None:
        return None
    if not KEY.fullmatch(key):
        raise ValidationFailed("Idempotency-Key needs 1 to 200 printable characters without blanks.")
    is_upload = request.content_type == "multipart/form-data"
    content = _of_files(request) if is_upload else hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    base = request.headers.get("X-Forager-Project", "")
    return Repeatable(caller.token_id or caller.name, key, digest(request.path, base, content), is_upload)


def _of_files(request: HttpRequest) -> str:
    parts: list[object] = [request.POST.getlist("paths")]
    for file in request.FILES.getlist("files"):
        found = hashlib.sha256()
        for chunk in file.chunks(CHUNK):
            found.update(chunk)
        file.seek(0)
        parts.append(found.hexdigest())
    return digest(parts)
