"""A small client for agents written in Python: the tools of a console as methods, with typed answers.

It speaks the JSON API and knows what the table of tools knows. Arguments are checked before anything is sent; an answer
may carry fields of a newer console, which are left aside.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self

import httpx2

from knowledge.tools import arguments as given
from knowledge.tools import shapes, tasks, tool_named
from knowledge.tools.arguments import Arguments

SECONDS = 30.0
type Floor = Literal["", "direct_fact", "supported_inference", "uncertain_inference", "unverified_claim"]
type Outcome = Literal["answered", "consumer_unavailable", "consumer_failed", "malformed", "unverified"]


@dataclass
class Refused(Exception):
    """The console answered, and the answer is no. ``message`` is meant for the agent; ``code`` for its program.

    ``retry_after`` is in seconds, 0 where waiting does not help.
    """

    status: int
    code: str
    message: str
    request_id: str
    fields: dict[str, str] = field(default_factory=dict)
    retry_after: int = 0

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class KnowledgeClient:
    """``address`` is the console's, without ``/knowledge``. Use it as a context manager, or ``close`` it.

    Every method raises ``Refused`` where the console refuses, ``pydantic.ValidationError`` where the arguments cannot
    be sent, and ``httpx2.HTTPError`` where nobody answers.
    """

    def __init__(
        self, address: str, token: str, *, seconds: float = SECONDS, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self._http = httpx2.Client(
            base_url=f"{address.rstrip('/')}/knowledge/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=seconds,
            transport=transport,
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def search(
        self, query: str, *, limit: int = 10, min_support: Floor = "", include_historical: bool = False, as_of: str = ""
    ) -> shapes.SearchAnswer:
        return self._ask(
            "search",
            given.SearchArguments(
                query=query,
                limit=limit,
                min_support=min_support,
                include_historical=include_historical,
                as_of=as_of,
            ),
            shapes.SearchAnswer,
        )

    def retrieve(
        self,
        query: str,
        *,
        top_k: int = 0,
        max_chars: int = 0,
        min_support: Floor = "",
        include_historical: bool = False,
        as_of: str = "",
        attempt: str = "",
        purpose: str = "",
        with_packet: bool = False,
    ) -> shapes.ContextAnswer:
        """The whole context, frozen as a package: give ``text`` to whoever answers."""
        return self._ask(
            "retrieve",
            given.RetrieveArguments(
                query=query,
                top_k=top_k,
                max_chars=max_chars,
                min_support=min_support,
                include_historical=include_historical,
                as_of=as_of,
                attempt=attempt,
                purpose=purpose,
                with_packet=with_packet,
            ),
            shapes.ContextAnswer,
        )

    def get(self, statement: str, *, history: bool = False) -> shapes.GetAnswer:
        return self._ask("get", given.GetArguments(statement=statement, history=history), shapes.GetAnswer)

    def evidence(self, statement: str) -> shapes.EvidenceAnswer:
        return self._ask("evidence", given.EvidenceArguments(statement=statement), shapes.EvidenceAnswer)

    def history(self, statement: str) -> shapes.HistoryAnswer:
        return self._ask("history", given.HistoryArguments(statement=statement), shapes.HistoryAnswer)

    def recall(self, query: str, *, min_hits: int = 1, limit: int = 10, min_support: Floor = "") -> shapes.RecallAnswer:
        asked = given.RecallArguments(query=query, min_hits=min_hits, limit=limit, min_support=min_support)
        return self._ask("recall", asked, shapes.RecallAnswer)

    def entity(self, entity: str) -> shapes.NeighborsAnswer:
        return self._ask("entity", given.EntityArguments(entity=entity), shapes.NeighborsAnswer)

    def neighbors(self, entity: str, *, depth: int = 1, limit: int = 50) -> shapes.NeighborsAnswer:
        asked = given.NeighborsArguments(entity=entity, depth=depth, limit=limit)
        return self._ask("neighbors", asked, shapes.NeighborsAnswer)

    def walk(self, entity: str, query: str, *, budget: int = 20, beam: int = 4) -> shapes.WalkAnswer:
        asked = given.WalkArguments(entity=entity, query=query, budget=budget, beam=beam)
        return self._ask("walk", asked, shapes.WalkAnswer)

    def check(self, references: Sequence[given.Held] = (), *, package: str = "") -> shapes.CheckAnswer:
        """Either references or a package: what still holds of it."""
        return self._ask(
            "check", given.CheckArguments(references=list(references), package=package), shapes.CheckAnswer
        )

    def open(
        self, reference: given.Place, *, expand: Literal["", "parent"] = "", max_bytes: int = 4000
    ) -> shapes.OpenAnswer:
        asked = given.OpenArguments(reference=reference, expand=expand, max_bytes=max_bytes)
        return self._ask("open", asked, shapes.OpenAnswer)

    def admit(self, packet: dict[str, Any], **budgets: Any) -> shapes.AdmissionAnswer:
        """``budgets`` as ``AdmitArguments`` names them."""
        return self._ask("admit", given.AdmitArguments(packet=packet, **budgets), shapes.AdmissionAnswer)

    def cite(self, package: str, answer: str) -> shapes.CitationAnswer:
        return self._ask("cite", given.CiteArguments(package=package, answer=answer), shapes.CitationAnswer)

    def package(self, package: str) -> shapes.PackageAnswer:
        return self._ask("package", given.PackageArguments(package=package), shapes.PackageAnswer)

    def outcome(self, package: str, outcome: Outcome, raw: str = "") -> shapes.OutcomeAnswer:
        told = given.OutcomeArguments(package=package, outcome=outcome, raw=raw)
        return self._ask("outcome", told, shapes.OutcomeAnswer)

    def corrections(self, cursor: str = "") -> shapes.CorrectionsAnswer:
        return self._ask("corrections", given.CorrectionsArguments(cursor=cursor), shapes.CorrectionsAnswer)

    def missions(self, limit: int = 20) -> tasks.MissionsAnswer:
        return self._ask("missions", tasks.MissionsArguments(limit=limit), tasks.MissionsAnswer)

    def claim(self, mission: str = "", *, worker: str = "") -> tasks.ClaimAnswer:
        """The oldest mission, or this one. Its ``mission`` is None when there is none."""
        return self._ask("claim", tasks.ClaimArguments(mission=mission, worker=worker), tasks.ClaimAnswer)

    def renew(self, mission: str, fence: int) -> tasks.ClaimAnswer:
        return self._ask("renew", tasks.RenewArguments(mission=mission, fence=fence), tasks.ClaimAnswer)

    def finish(
        self,
        mission: str,
        fence: int,
        result: str,
        *,
        packages: Sequence[str] = (),
        outcome: Literal["done", "failed"] = "done",
    ) -> tasks.FinishAnswer:
        told = tasks.FinishArguments(
            mission=mission, fence=fence, outcome=outcome, result=result, packages=list(packages)
        )
        return self._ask("finish", told, tasks.FinishAnswer)

    def review(self, conflict: str, package: str, ruling: tasks.Ruling, reason: str, **more: Any) -> tasks.ReviewAnswer:
        """Proposes and applies nothing. ``more`` as ``ReviewArguments`` names it."""
        told = tasks.ReviewArguments(conflict=conflict, package=package, ruling=ruling, reason=reason, **more)
        return self._ask("review", told, tasks.ReviewAnswer)

    def _ask[A: shapes.Answer](self, name: str, asked: Arguments, answer: type[A]) -> A:
        tool = tool_named(f"knowledge_{name}")
        if tool is None:
            raise LookupError(name)
        values = asked.model_dump(mode="json")
        address = tool.at
        if tool.in_address:
            address = address.format(**{tool.in_address: values.pop(tool.in_address).rpartition("/")[2]})
        reply = self._http.post(address, json=values) if tool.by_body else self._http.get(address, params=values)
        return answer.model_validate(_data(reply), extra="ignore")


def _data(reply: httpx2.Response) -> Any:
    """The answer inside the envelope; what is none of ours (a proxy's page) is a refusal, too."""
    try:
        envelope = reply.json()
        if envelope["success"]:
            return envelope["data"]
        error, message = envelope["error"], envelope["message"]
        code, request_id, fields = error["code"], error["request_id"], error["fields"]
    except (ValueError, KeyError, TypeError):
        raise Refused(reply.status_code, "unreadable", "This is no answer of a console.", "") from None
    wait = reply.headers.get("Retry-After", "")
    raise Refused(reply.status_code, code, message, request_id, fields, int(wait) if wait.isdigit() else 0)
