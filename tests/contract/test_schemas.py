"""The schemas are sound, and tell good rows from bad ones."""

import pytest
from jsonschema import Draft202012Validator, ValidationError

from tests.contract.schemas import VERSION, names, schema, validate

AT = "2026-02-18T16:05:00Z"
HASH = "a" * 64
SHAPES = {
    *("ready", "capabilities", "project", "document", "source", "text", "item", "evidence", "entity", "conflict"),
    *("job", "search", "review_event", "export", "import", "list", "error"),
    *("recall", "neighbors", "walk", "past_version", "references"),
    *("source_brief", "item_brief", "grounds", "standing"),
}


def evidence(**changes: object) -> dict[str, object]:
    words = dict.fromkeys(("source_name", "source_path", "source_type", "representation", "segmentation"), "x")
    more = dict.fromkeys(("chunk_id", "location", "excerpt", "extractor_name", "extractor_version"), "x")
    hashes = dict.fromkeys(("version", "text_hash", "excerpt_hash"), HASH)
    ids = {"id": "ev_1", "target_id": "ki_1", "document_id": "doc_1", "source_id": "src_1"}
    rest = {"start": 0, "end": 1, "model_name": None, "confidence": 0.9, "missing_excerpt": False}
    return {**words, **more, **hashes, **ids, **rest, "locator": {"kind": "line", "line": 1}, **changes}


def item(**changes: object) -> dict[str, object]:
    words = dict.fromkeys(("subject", "subject_origin", "title", "support_reason", "review_status"), "x")
    lists: dict[str, object] = {key: [] for key in ("entity_ids", "document_ids", "source_ids")}
    row = {
        "id": "ki_1",
        "project_id": "proj_1",
        "type": "fact",
        "statement": "The roof is red.",
        "frame": None,
        "entries": [],
        "flags": [],
        "attribute_key": "roof|colour",
        "attribute_value": "red",
        "support": "direct_fact",
        "confidence": 0.9,
        "status": "active",
        "scope": "tenant",
        "effective_date": None,
        "recorded_at": AT,
        "superseded_by": None,
        "extractor_name": "rules",
        "extractor_version": "1",
        "evidence_count": 1,
        "origins": 1,
    }
    return {**words, **lists, **row, **changes}


def test_every_served_shape_has_a_schema_of_this_version() -> None:
    assert set(names()) >= SHAPES
    for name in names():
        Draft202012Validator.check_schema(schema(name))
        assert f"/{VERSION}/{name}.json" in schema(name)["$id"]


def test_good_rows_are_valid_alone_nested_and_in_lists() -> None:
    validate("evidence", evidence())
    validate("item", item(evidence=[evidence()], conflict_ids=["cf_1"]))
    page = {"items": [item()], "next_cursor": None, "page_size": 50, "total": None}
    validate("list", page, of="item")
    validate("error", {"error": {"code": "not_found", "message": "Unknown.", "request_id": "req_1"}})


@pytest.mark.parametrize(
    "changes",
    [
        {"support": "certain"},
        {"status": "fine"},
        {"scope": "public"},
        {"confidence": 1.2},
        {"statement": ""},
        {"project_id": None},
        {"recorded_at": "2026-02-18 16:05"},
        {"attribute_key": "colour"},
        {"evidence": [evidence(excerpt_hash="short")]},
        {"evidence": [evidence(locator={"line": 1})]},
        {"surprise": 1},
    ],
)
def test_a_row_with_one_wrong_field_is_invalid(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        validate("item", item(**changes))


@pytest.mark.parametrize("missing", ["id", "support", "confidence", "status", "scope", "source_ids"])
def test_a_row_without_a_field_is_invalid(missing: str) -> None:
    row = item()
    del row[missing]
    with pytest.raises(ValidationError):
        validate("item", row)


def test_a_list_is_checked_by_its_items() -> None:
    page = {"items": [item(), item(support="certain")], "next_cursor": None, "page_size": 50, "total": None}
    with pytest.raises(ValidationError):
        validate("list", page, of="item")
